// svcat completion: scripts for shells. They hold no knowledge of commands: they ask `svcat __complete` each time.
#include <fmt/format.h>

#include "base/text.h"
#include "svcat/call.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

constexpr std::string_view kBash = R"(# bash completion for svcat: source <(svcat completion bash)
_svcat() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}") line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == "${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$line")
  done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _svcat svcat
)";

constexpr std::string_view kZsh = R"(#compdef svcat
# zsh completion for svcat: source <(svcat completion zsh)
_svcat() {
  local -a found
  found=("${(@f)$(${words[1]} __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
if (( $+functions[compdef] )); then compdef _svcat svcat; fi
)";

constexpr std::string_view kFish = R"(# fish completion for svcat: svcat completion fish | source
function __svcat_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c svcat -f -a '(__svcat_complete)'
)";

Result<int> run(Call& call) {
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
          .examples = {"completion bash > /etc/bash_completion.d/svcat", "completion zsh > ~/.zsh/_svcat",
                       "completion fish > ~/.config/fish/completions/svcat.fish"},
          .offer = Offer::kWords,
          .run = run};
}

}  // namespace chandler::svcat
