"""The plot of docs/performance.md: ratios to the named peers, from results.toml."""

import pathlib
import tomllib

from draw import bars, picture

DATA = pathlib.Path(__file__).with_name("results.toml")
LEVEL = 0.98  # from here on a ratio counts as level: runs differ by 2%


def results(root):
    """The rows of results.toml; each names a page of docs/lab that exists."""
    rows = tomllib.loads(DATA.read_text(encoding="utf-8"))["result"]
    for row in rows:
        page = root / "docs" / "lab" / f"{row['page']}.md"
        if not page.is_file():
            raise FileNotFoundError(f"{DATA.name}: '{row['workload']}' is from {page}, which does not exist")
    return rows


@picture("results")
def ratios(tools):
    groups = []
    for row in results(tools.root):
        kind = "compute" if row["ratio"] >= LEVEL else "other"
        groups.append((row["workload"], [(f"of {row['peer']}, {row['machine']}", row["ratio"], kind)]))
    return bars("ratios of Tegula's speed to the named peer, by workload", groups, limit=2.3,
                unit="the peer's time over Tegula's: right of the line is faster; red is slower by more than 2%",
                line=(1.0, "as fast as the peer"), row=18)
