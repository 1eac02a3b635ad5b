# Completion of leasehold(1) in bash. Made from its help texts.

# Prints the names that are held or waited for in the store of words $@.
_leasehold_names() {
  local store=()
  while (($# > 1)) && [[ $1 != -- ]]; do
    case $1 in
      --store | --store-file) store+=("$1" "$2") && shift ;;
    esac
    shift
  done
  timeout 5 leasehold "${store[@]}" list --json 2> /dev/null | grep -o '"name":"[^"\\]*"' | sed 's/^"name":"//; s/"$//'
}

_leasehold() {
  local line=${COMP_LINE:0:COMP_POINT} words word previous command= operands=0 i
  # Not COMP_WORDS, which are split at the colons of a URL
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=${words[-1]} previous=${words[-2]}
  COMPREPLY=()
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    case ${words[i]} in
      --)
        case $command in @RUNNING@) ;; *) return ;; esac
        if declare -F _command_offset > /dev/null; then
          _command_offset $((COMP_CWORD - (${#words[@]} - 2 - i)))
        elif ((i == ${#words[@]} - 2)); then
          mapfile -t COMPREPLY < <(compgen -c -- "$word")
        else
          compopt -o default
        fi
        return
        ;;
      @VALUED@) ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=${words[i]}; else ((operands++)); fi ;;
    esac
  done

  case $previous in
    --store-file) compopt -o default && return ;;
    --accept) mapfile -t COMPREPLY < <(compgen -W unfenced -- "$word") && return ;;
    @VALUED@) return ;;
  esac
  local options names=false
  case $command in
    "") options="@COMMON@" ;;
@OPTIONS@
    *) return ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@COMMANDS@" -- "$word")
  elif $names && ((operands == 0)); then
    local name before=${word%"${COMP_WORDS[COMP_CWORD]}"}
    while IFS= read -r name; do
      if [[ $name == "$word"* ]]; then COMPREPLY+=("$(printf %q "${name#"$before"}")"); fi
    done < <(_leasehold_names "${words[@]}")
  fi
}
complete -F _leasehold leasehold
