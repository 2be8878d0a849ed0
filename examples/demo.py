"""From two tables to a finding that holds: what `make demo` shows.

Two cohorts are made up, so that the truth is known. In both, a third of the patients has a hidden
group: 12 of 1,000 genes are shifted. A batch shifts 80 other genes in half of the first cohort, and
the second is of another platform and lacks many genes. The commands are those that you would type;
below each stands what was planted.
"""

import shlex
from pathlib import Path

from bicneuron.cli import main
from bicneuron.datasets import make_cohorts
from bicneuron.persistence import load_model
from bicneuron.tables import read_table

FOLDER = Path("demo")
made = make_cohorts(random_state=0)


def run(line):
    """Print a command and run it."""
    print(f"\n$ bicneuron {line}", flush=True)
    code = main(shlex.split(line))
    if code:
        raise SystemExit(code)


def planted(text):
    """Print what the truth is."""
    print(f"  * planted: {text}", flush=True)


FOLDER.mkdir(exist_ok=True)
first, second = FOLDER / "cohort1.csv", FOLDER / "cohort2.csv"
groups, model = FOLDER / "groups.skops", FOLDER / "model.skops"
made.first.to_csv(first)
made.second.to_csv(second)
print(f"{len(made.first)} people with {made.first.shape[1] - 2:,} genes in {first},")
print(f"{len(made.second)} others, on another platform, in {second}.")

print("\nWhich patients share which genes, and is it real? The batch is set aside.")
page = FOLDER / "groups.html"
known = "--target status --strata batch"
run(f"find {first} {known} -o {page} -o {groups} --force")
found = load_model(groups)[-1]
table = read_table(first, target="status", aside={"strata": "batch"})
pattern = found.patterns[0]
members = {table.features.index[row] for row in pattern.rows}
genes = {found.feature_names_in_[column] for column in pattern.columns}
both, right = members & {*made.members[0]}, genes & {*made.signature}
planted(
    f"{len(made.members[0])} patients, {len(both)} of whom are among the {len(members)} found, and "
    f"{len(made.signature)} genes, {len(right)} of which are among the {len(genes)} found"
)
wrong = [one for one in found.patterns[1:] if one.evidence and one.evidence.is_finding]
planted(f"nothing else; {len(wrong)} other groups are called findings")

print("\nIs it found again in other people, on another platform?")
run(f"replicate {groups} {second} --target status -o {FOLDER / 'again.html'} --force")
planted(f"the same genes in {len(made.members[1])} of the 50 patients of the second cohort")

print("\nCan the status of a person be predicted, and by what?")
run(f"fit {first} {known} -o {model} --force")
planted(f"the group, and a small shift of all patients in {len(made.markers)} other genes")

print("\nWhy was one person given that status?")
predicted = load_model(model)[-1].predict(table.features.loc[[*made.members[0]]])
person = made.members[0][list(predicted).index("patient")]
run(f"explain {model} {first} --rows {person} -o {FOLDER / 'model.html'} --force")
explanation = load_model(model)[-1].explain(table.features.loc[[person]])[0]
print(explanation)
named = [column.feature for part in explanation.patterns for column in part.columns]
n_planted = sum(name in {*made.signature, *made.markers} for name in named)
planted(f"{person} has the group; {n_planted} of the {len(named)} genes above are planted ones")

print(f"\nOpen {page.resolve()} in a browser: the finding, with picture, people and genes.")
