#compdef leasehold
# Completion of leasehold(1) in zsh. Made from its help texts.

_leasehold_names() {
  local -a store names
  local i=${words[(i)--store]} j=${words[(i)--store-file]}
  ((i < $#words)) && store+=(--store "${(Q)words[i + 1]}")
  ((j < $#words)) && store+=(--store-file "${(Q)words[j + 1]}")
  names=(${(f)"$(timeout 5 leasehold $store list --json 2> /dev/null | grep -o '"name":"[^"\\]*"' | sed 's/^"name":"//; s/"$//')"})
  compadd -a names
}

_leasehold() {
  local curcontext=$curcontext state
  local -a commands common own
  commands=(
@COMMANDS@
  )
  common=(
@COMMON@
  )
  _arguments -C $common '1:command:->command' '*::argument:->argument' && return
  case $state in
    command) _describe -t commands command commands && return ;;
    argument)
      case $words[1] in
@OPTIONS@
        *) return 1 ;;
      esac
      _arguments $common $own
      ;;
  esac
}

_leasehold "$@"
