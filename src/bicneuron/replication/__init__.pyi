from ._replicate import replicate as replicate
from ._replication import ReplicatedPattern as ReplicatedPattern
from ._replication import Replication as Replication
from ._transfer import Transfer as Transfer
from ._transfer import TransferredPattern as TransferredPattern
from ._transfer import pattern_scores as pattern_scores
from ._transfer import transfer as transfer
