"""What agents decided and what came of it: reads tables that `dp-agent log export` made.

    dp-agent log export sessions/*/*.jsonl --format parquet --out decisions.parquet
    dp-agent log export sessions/*/*.jsonl --table episodes --format csv --out episodes.csv
    python rewards.py decisions.parquet episodes.csv

Reads Parquet, CSV and JSON lines, by the ending of the name. Needs pandas, and pyarrow for Parquet.
"""

import sys

import pandas as pd


def table(path):
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    if path.endswith(".jsonl"):
        return pd.read_json(path, lines=True)
    return pd.read_csv(path)


def show(title, frame):
    print(f"\n## {title}\n")
    print(frame.to_string() if len(frame) else "(nothing)")


def by_source(decisions):
    """Who decided how often, what it earned, and how much of that no command is known for."""
    groups = decisions.groupby("source")
    rows = groups[["exp", "gold", "hp", "kills", "deaths", "rooms_new"]].sum()
    rows.insert(0, "decisions", groups.size())
    rows["exp per decision"] = (rows["exp"] / rows["decisions"]).round(2)
    inferred = groups["exp_inferred"].sum().abs() / rows["exp"].abs().where(rows["exp"] != 0)
    rows["exp inferred, %"] = (inferred * 100).round(1)
    return rows.astype({"exp": int, "gold": int, "hp": int, "kills": int, "deaths": int, "rooms_new": int})


def best_policies(decisions):
    own = decisions[decisions["source"] != "model"].groupby(["source", "by"])
    rows = own[["exp", "gold", "hp"]].sum().astype(int)
    rows.insert(0, "decisions", own.size())
    return rows.sort_values("exp", ascending=False).head(10)


def cost(decisions):
    """What a kill and a hundred points cost, by model; and how often asking led to nothing."""
    model = decisions[decisions["source"] == "model"]
    rows = model.groupby("by").agg(
        asked=("id", "size"),
        idle=("actions", lambda actions: int((actions == "[]").sum())),
        failed=("error", lambda errors: int(errors.notna().sum())),
        tokens=("tokens_prompt", "sum"),
        cached=("tokens_cached", "sum"),
        cost=("cost", "sum"),
        exp=("exp", "sum"),
        kills=("kills", "sum"),
    )
    rows["cached, %"] = (rows["cached"] / rows["tokens"].where(rows["tokens"] > 0) * 100).round(1)
    rows["cost per kill"] = (rows["cost"] / rows["kills"].where(rows["kills"] > 0)).round(5)
    rows["cost per 100 exp"] = (rows["cost"] / rows["exp"].where(rows["exp"] > 0) * 100).round(5)
    return rows


# What a commentary says that it expects, and in which column that would show.
EXPECTATIONS = [
    ("a fight", r"\b(?:fight|attack|kill|strike|hit)", lambda rows: rows["kills"] > 0),
    ("a way", r"\b(?:explor|walk|go |look around|north|south|east|west|on\b)", lambda rows: rows["rooms_new"] > 0),
    ("rest", r"\b(?:rest|heal|recover|sleep)", lambda rows: rows["hp"] > 0),
    ("danger", r"\b(?:danger|flee|run|hurt|weak)", lambda rows: rows["hp"] < 0),
]


def calibration(decisions):
    """How often what the commentary speaks of is what happened, beside how often it happens anyway."""
    told = decisions[(decisions["source"] == "model") & decisions["commentary"].notna()]
    rows = []
    for name, words, happened in EXPECTATIONS:
        says = told["commentary"].str.contains(words, case=False, regex=True)
        true = happened(told)
        rows.append(
            {
                "speaks of": name,
                "times": int(says.sum()),
                "then it happened, %": round(true[says].mean() * 100, 1) if says.any() else None,
                "otherwise, %": round(true[~says].mean() * 100, 1) if (~says).any() else None,
            }
        )
    return pd.DataFrame(rows).set_index("speaks of")


def main(paths):
    if not paths:
        sys.exit(__doc__)
    decisions = table(paths[0])
    print(f"{len(decisions)} decisions of {decisions['agent'].nunique()} agents in {decisions['session'].nunique()} sessions")
    show("Reward by who decided", by_source(decisions))
    show("What the agents' own doing earned", best_policies(decisions))
    show("What models cost", cost(decisions))
    show("Commentary against what happened", calibration(decisions))
    if len(paths) > 1:
        episodes = table(paths[1])
        sums = decisions.groupby("session")["exp"].sum()
        checked = episodes.set_index("session")[["agent", "exp", "kills", "deaths", "tokens_prompt", "cost"]]
        checked["sum of rows"] = sums
        show("Episodes, and the sum of their rows", checked)


if __name__ == "__main__":
    main(sys.argv[1:])
