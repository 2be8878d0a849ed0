from ._additive import (
    ChengChurchBiclustering as ChengChurchBiclustering,
)
from ._additive import (
    DifferenceBiclustering as DifferenceBiclustering,
)
from ._coclustering import (
    AdaptedBiclustering as AdaptedBiclustering,
)
from ._coclustering import (
    InformationCoclustering as InformationCoclustering,
)
from ._coexpression import (
    DiRAPOCCBiclustering as DiRAPOCCBiclustering,
)
from ._coexpression import (
    SDCBiclustering as SDCBiclustering,
)
from ._coherent import (
    CoherentBiclustering as CoherentBiclustering,
)
from ._coherent import (
    ContrastBiclustering as ContrastBiclustering,
)
from ._features import (
    BiclusterFeatures as BiclusterFeatures,
)
from ._features import (
    BiclusterSelector as BiclusterSelector,
)
from ._miner import BiclusterMiner as BiclusterMiner
from ._subgroups._estimator import SubgroupBiclustering as SubgroupBiclustering
