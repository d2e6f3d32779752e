// svcat completion: scripts for shells. They hold no knowledge of commands: they ask `svcat __complete` each time.
#include <fmt/format.h>

#include "base/text.h"
#include "svcat/call.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

// Exit code 10 of __complete: names of files are wanted.
constexpr std::string_view kBash = R"(# bash completion for svcat: source <(svcat completion bash)
_svcat() {
  local current=${COMP_WORDS[COMP_CWORD]} value='' found line
  # Bash cuts words at "="; what is asked for then is the value alone.
  if [[ $current == '=' ]]; then
    current='' value=yes
  elif [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
    value=yes
  fi
  COMPREPLY=()
  found=$("${COMP_WORDS[0]/#\~/$HOME}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $? -eq 10 ]]; then
    compopt -o default
    return
  fi
  while IFS= read -r line; do
    if [[ -n $value ]]; then line=${line#*=}; fi
    if [[ -n $line && $line == "$current"* ]]; then COMPREPLY+=("$line"); fi
  done <<<"$found"
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -F _svcat svcat
)";

constexpr std::string_view kZsh = R"(#compdef svcat
# zsh completion for svcat: source <(svcat completion zsh), or put it as _svcat into a folder of $fpath
_svcat() {
  local output
  local -a found
  output=$(${(Q)~words[1]} __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $? == 10 )); then
    _files
    return
  fi
  found=(${(f)output})
  compadd -S '' -- ${(M)found:#*=}
  compadd -- ${found:#*=}
}
if (( $+functions[compdef] )); then compdef _svcat svcat; fi
if [[ ${funcstack[1]} == _svcat ]]; then _svcat; fi
)";

constexpr std::string_view kFish = R"(# fish completion for svcat: svcat completion fish | source
function __svcat_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
  if test $status -eq 10
    __fish_complete_path (commandline -ct)
  else
    printf '%s\n' $found
  end
end
complete -c svcat -f -a '(__svcat_complete)'
)";

Result<int> run_completion(Call& call) {
  const auto shell = call.argument(0);
  if (shell == "bash") {
    call.out() << kBash;
  } else if (shell == "zsh") {
    call.out() << kZsh;
  } else if (shell == "fish") {
    call.out() << kFish;
  } else {
    return usage_error(fmt::format("there is no completion for {}; there is bash, zsh and fish", quoted(shell)));
  }
  return 0;
}

}  // namespace

Command completion() {
  return {.verb = "completion",
          .arguments = "bash|zsh|fish",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Print a script that completes commands, flags and names from the server",
          .examples = {"completion bash > ~/.local/share/bash-completion/completions/svcat",
                       "completion zsh > ~/.zsh/_svcat", "completion fish > ~/.config/fish/completions/svcat.fish"},
          .offer = Offer::kWords,
          .run = run_completion};
}

}  // namespace chandler::svcat
