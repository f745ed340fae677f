# shellcheck shell=bash
# Root folders of another Debian, made by debootstrap, in which commands run by chroot. Sourced by bash; `die TEXT` is
# the caller's.

# remove_folder DIR: refuses while anything is mounted in it, and never leaves its file system.
remove_folder() {
  [ -e "$1" ] || return 0
  ! awk '{ print $5 }' /proc/self/mountinfo | grep -qE "^$1(/|\$)" || die "something is mounted in $1; unmount it first"
  rm -rf --one-file-system "$1"
}

# archive NAME: the first archive of this machine's apt whose address ends in NAME, e.g. http://deb.debian.org/debian
archive() {
  local uri
  # shellcheck disable=SC2016  # expanded by apt-get
  while read -r uri; do
    case $uri in
      *"$1" | *"$1/") echo "${uri%/}"; return ;;
    esac
  done < <(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null)
  echo "http://deb.debian.org/$1"
}

mirror() { archive debian; }

# security_source SUITE: the line for a root's sources.list of SUITE's security archive, which has LLVM
security_source() { echo "deb $(archive debian-security) $1-security main"; }

# configure_root DIR: its apt and its resolver work as this machine's do, and it installs what is asked for and no more.
configure_root() {
  local to=$1
  cat >"$to/etc/apt/apt.conf.d/90tegula" <<'TEXT'
APT::Install-Recommends "false";
APT::Sandbox::User "root";
TEXT
  # A proxy of this machine's apt serves the root too.
  apt-config dump 2>/dev/null | grep -E '^Acquire::https?::Proxy ' >>"$to/etc/apt/apt.conf.d/90tegula" || true
  cp /etc/resolv.conf "$to/etc/resolv.conf"
  # Documentation and translations are half of what packages unpack.
  printf 'path-exclude=/usr/share/%s/*\n' doc man locale info >"$to/etc/dpkg/dpkg.cfg.d/tegula"
}

# base_root SUITE: prints the folder of a root with that Debian (bookworm, trixie) and nothing else, which is made where
# it is not there. Commands run in copies of it.
base_root() {
  local number base
  case $1 in
    bookworm) number=12 ;;
    trixie) number=13 ;;
    *) die "no Debian '$1' is known; bookworm or trixie is expected" ;;
  esac
  [ "$(id -u)" -eq 0 ] || die "a root folder is made by debootstrap and chroot; run this as root"
  base=${XDG_CACHE_HOME:-$HOME/.cache}/tegula/root-debian-$number
  mkdir -p "$(dirname "$base")"
  (
    flock 9
    [ ! -d "$base" ] || exit 0
    remove_folder "$base.part"
    debootstrap --variant=minbase --include=ca-certificates "$1" "$base.part" "$(mirror)" >"$base.log" 2>&1 ||
      die "debootstrap fails: $(tail -n 5 "$base.log")"
    security_source "$1" >>"$base.part/etc/apt/sources.list"
    configure_root "$base.part"
    mv "$base.part" "$base"
  ) 9>"$base.lock" || exit
  echo "$base"
}

# in_root DIR COMMAND...: mounts are private to the command and end with it. The folder $bind of this machine, if set,
# is visible in the root at its own path, and is the command's folder.
in_root() {
  local in=$1
  shift
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork --kill-child sh -euc '
    in=$1 tree=$2; shift 2
    mount -t proc proc "$in/proc"
    mount -t tmpfs tmpfs "$in/tmp"
    for node in null zero full random urandom; do
      [ -e "$in/dev/$node" ] || : >"$in/dev/$node"
      mount --bind "/dev/$node" "$in/dev/$node"
    done
    mkdir -p "$in/dev/shm"
    mount -t tmpfs tmpfs "$in/dev/shm"
    case $tree in
      "") cd / ;;
      *)
        mkdir -p "$in$tree"
        mount --bind "$tree" "$in$tree" ;;
    esac
    exec chroot "$in" sh -c '\''cd "${0:-/}" && exec "$@"'\'' "$tree" "$@"
  ' sh "$in" "${bind-}" "$@"
}
