"""Two cohorts with what was planted in them."""

import pytest

from bicneuron.datasets import make_cohorts


@pytest.fixture(scope="module")
def made():
    return make_cohorts(random_state=3)


def gaps(table, rows, genes):
    """Differences of means between rows and the others, in standard deviations of the others."""
    inside = table.index.isin(rows)
    others = table.loc[~inside, genes]
    return ((table.loc[inside, genes].mean() - others.mean()) / others.std()).abs()


def test_the_group_has_its_genes_in_both_cohorts(made):
    for table, members in zip((made.first, made.second), made.members, strict=True):
        patients = table.index[table["status"] == "patient"]
        assert {*members} <= {*patients}
        assert len(members) == round(len(patients) / 3)
        genes = [name for name in table if name.startswith("GENE")]
        clearest = gaps(table, members, genes).nlargest(len(made.signature))
        assert sorted(clearest.index) == made.signature


def test_patients_and_batches_differ_in_genes_of_their_own(made):
    first = made.first
    patients = first.index[first["status"] == "patient"]
    genes = [name for name in first if name.startswith("GENE")]
    others = [name for name in genes if name not in {*made.signature, *made.markers}]
    of_class = gaps(first, patients, made.markers)
    assert of_class.mean() > 3 * gaps(first, patients, others).mean()
    in_second = first.index[first["batch"] == "B"]
    clearest = gaps(first, in_second, genes)
    assert sorted(clearest.nlargest(len(made.of_batch)).index) == made.of_batch
    assert not {*made.signature} & {*made.markers}


def test_the_second_platform_lacks_genes_that_are_not_planted(made):
    assert "batch" not in made.second
    assert {*made.signature, *made.markers} <= {*made.second}
    assert made.second.shape == (80, 709)
