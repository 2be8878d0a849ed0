from ._encoder import TableEncoder as TableEncoder
from ._files import write_table as write_table
from ._given import read_groups as read_groups
from ._questions import Question as Question
from ._roles import check as check
from ._roles import read_table as read_table
from ._table import Settings as Settings
from ._table import Table as Table
