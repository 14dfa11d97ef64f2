# Sourced by packaging/run and packaging/test: packages and quiet builds. Messages go to stderr.
# shellcheck shell=bash disable=SC2154 # root is set by who sources this

say() { printf '%s\n' "$*" >&2; }

# wanted_packages STAGE...: packages of packages.txt, one per line.
wanted_packages() {
    local stages=" $* " stage package
    while read -r stage package; do
        case $stage in ''|'#'*) continue ;; esac
        if [[ $stages == *" $stage "* ]]; then printf '%s\n' "$package"; fi
    done <"$root/packaging/packages.txt"
}

# missing_packages STAGE...: those that are not installed.
missing_packages() {
    local package installed
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 2>/dev/null | sed -n 's/^[ih]i //p')
    while read -r package; do
        grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
    done < <(wanted_packages "$@")
}

# need_packages STAGE...: installs what is missing, or says what to do.
need_packages() {
    local missing log status=0
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        local tool lacking=()
        for tool in c++ cmake ninja protoc; do command -v "$tool" >/dev/null || lacking+=("$tool"); done
        if ((${#lacking[@]})); then
            say "This system has no apt-get, and these programs are missing: ${lacking[*]}."
            say "Please install what the Debian packages below contain, then start this again:"
            wanted_packages "$@" | sed 's/^/  /' >&2
            exit 1
        fi
        return 0
    fi
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [[ -z ${missing// /} ]] && return 0
    if [[ $(id -u) != 0 ]]; then
        say "These packages are missing. Please install them, then start this again:"
        say "  sudo apt-get install $missing"
        exit 1
    fi
    say "installing: $missing"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # An update that fails is no harm when the packages are in the cache.
    apt-get -q -o Acquire::Retries=2 -o DPkg::Lock::Timeout=120 update >"$log" 2>&1 || status=$?
    # shellcheck disable=SC2086 # the list is meant to be split
    if ! apt-get -q -y -o Acquire::Retries=2 -o DPkg::Lock::Timeout=120 install --no-install-recommends $missing >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        rm -f "$log"
        if ((status != 0)) || ! getent hosts deb.debian.org >/dev/null; then
            say "The packages could not be fetched: is this machine offline? Go online once, or install these by hand:"
        else
            say "apt-get could not install the packages (this is made for Debian 12). Please install these by hand:"
        fi
        say "  apt-get install $missing"
        exit 1
    fi
    rm -f "$log"
}

# duration SECONDS: as a person says it.
duration() {
    if (($1 < 90)); then printf '%d s' "$1"; else printf '%d min' $((($1 + 30) / 60)); fi
}

# note_phase TEXT: what is being done now. A terminal shows it in the line that moves.
note_phase() {
    if [[ -t 2 ]]; then printf '\r\033[K%s ' "$1" >&2; else say "$1"; fi
}

# free_disk: MiB free where the build folders are; the answer is in $free.
free_disk() {
    free=$(df -Pm "$root" | awk 'NR == 2 { print $4 }')
}

# need_disk MIB WHAT: a word of warning where less is free. A folder that is built already needs less, so it does not refuse.
need_disk() {
    local free
    free_disk
    if ((free < $1)); then say "$2 takes about $(($1 / 1024)) GB of disk; only $free MB are free here"; fi
}

# show_progress TITLE: reads ninja's lines; shows phase, share and time left in one line that moves (a terminal) or at every tenth part (a file).
show_progress() {
    local title=$1 begin=$SECONDS line step total part shown=-1 passed text
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        step=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} passed=$((SECONDS - begin))
        part=$((10 * step / total))
        [[ -t 2 ]] || ((part != shown)) || continue
        shown=$part
        text="$title: $((100 * step / total)) %, $step of $total steps"
        # The first steps say little about the others.
        if ((passed >= 5 && 50 * step >= total && step < total)); then text+=", about $(duration $((passed * (total - step) / step))) left"; fi
        note_phase "$text"
    done
    if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# configure PRESET [CMAKE OPTION...]: only when there is no build folder of this source tree and these options yet.
configure() {
    local preset=$1 folder=$root/build/$1 log wanted
    shift
    wanted="$root $*"
    [[ -f $folder/build.ninja && -f $folder/configured && $(<"$folder/configured") == "$wanted" ]] && return 0
    # A cache made elsewhere (a copied tree, or a moved one) cannot be reused.
    if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
        rm -rf "$folder"
    fi
    mkdir -p "$folder"
    log=$folder/configure.log
    note_phase "configuring $preset"
    if ! (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        say "configuring $preset failed; the whole log: $log"
        return 1
    fi
    printf '%s' "$wanted" >"$folder/configured"
}

# build PRESET [TARGET...]
build() {
    local preset=$1 folder=$root/build/$1 log=$root/build/$1/build.log free
    shift
    note_phase "building $preset"
    if ! ninja -C "$folder" "$@" 2>&1 | tee "$log" | show_progress "building $preset"; then
        # From the first failure on, without the steps that went well.
        (sed -n '/^FAILED/,$p' "$log" | grep -v '^\[' || tail -n 20 "$log") | head -n 60 >&2
        free_disk
        if ((free < 300)); then say "the disk is full: $free MB are free"; fi
        say "building $preset failed; the whole log: $log"
        return 1
    fi
}
