#!/usr/bin/env bash
# What ci/release refuses, each with one message at its place, in a small tree of the files that it looks at.
# usage: release_check.sh SOURCE_DIR
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/ci"
cp "$source"/ci/{release,common.sh} "$tree/ci/"
cp "$source"/{CMakeLists.txt,CHANGELOG.md} "$tree/"
git() { command git -C "$tree" -c user.name=test -c user.email=test -c init.defaultBranch=main "$@"; }

fail() {
  echo "release_check.sh: $*" >&2
  exit 1
}

commit() { git add -A && git commit -q -m "$1"; }

# refuses TEXT [OPTIONS...]
refuses() {
  local text=$1 status=0
  shift
  "$tree/ci/release" --check "$@" >"$work/log" 2>&1 || status=$?
  [ "$status" = 2 ] || fail "status $status, not 2, where this is expected: $text; $(cat "$work/log")"
  grep -qF -- "$text" "$work/log" || fail "'$text' is expected, found: $(cat "$work/log")"
}

accepts() { "$tree/ci/release" --check "$@" >"$work/log" 2>&1 || fail "refused: $(cat "$work/log")"; }

version=$(sed -n 's/^project(tegula VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
line=$(grep -n -m 1 '^## ' "$tree/CHANGELOG.md" | cut -d: -f1)
heading() { sed -i "${line}s/.*/$1/" "$tree/CHANGELOG.md"; }

git init -q
heading "## [$version] - Unreleased"
commit "without a date"
refuses "CHANGELOG.md:$line: version $version has no date"
accepts --trial
heading "## [$version] - 2026-12-01"
refuses "the tree differs from the last commit"
refuses " M CHANGELOG.md"
accepts --trial
commit "with a date"
accepts
git tag "v$version"
accepts
git commit -q --allow-empty -m "behind the tag"
refuses "the tag v$version is commit $(git rev-parse HEAD~1)"
heading "## [99.1.2] - 2026-12-01"
commit "another version"
refuses "CHANGELOG.md:$line: the version is 99.1.2, but $version at CMakeLists.txt:"
refuses "CHANGELOG.md:$line: the version is 99.1.2" --trial
heading "## 99.1.2"
refuses "CHANGELOG.md:$line: '## [VERSION] - DATE' is expected" --trial
sed -i 's/^project(tegula VERSION [0-9.]*/project(tegula VERSION 1.2/' "$tree/CMakeLists.txt"
refuses "the version is '1.2'; MAJOR.MINOR.PATCH is expected" --trial
rm "$tree/CHANGELOG.md"
refuses "MAJOR.MINOR.PATCH" --trial
sed -i 's/^project(tegula VERSION 1.2/project(tegula VERSION 1.2.0/' "$tree/CMakeLists.txt"
refuses "CHANGELOG.md:1: no line fits" --trial
refuses "unknown option '--dry'" --dry
echo "what ci/release refuses is refused"
