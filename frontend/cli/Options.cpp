#include "frontend/cli/Options.h"
#include "core/support/Diagnostic.h"
#include "core/support/Suggest.h"

#include <cctype>
#include <cstdio>

namespace tegula::cli {
namespace {

std::vector<std::string> optionNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

[[noreturn]] void failExtras(const CLI::App &app) {
  std::vector<std::string> extras = app.remaining();
  std::string first = extras.empty() ? "" : extras.front();
  std::string help = "; `" + app.get_name() + " --help` lists what there is";
  if (!first.starts_with('-'))
    throw Error("unexpected argument '" + first + "'" + help);
  std::string option = first.substr(0, first.find('='));
  std::string near = suggestion(option, optionNames(app));
  throw Error("unknown option '" + option + "'" + (near.empty() ? help : near));
}

} // namespace

void addModulePath(CLI::App &app, std::vector<std::string> &folders) {
  app.add_option("--module-path", folders,
                 "Folder of modules that the file imports, after those beside and around\nit; repeat for more")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
}

std::optional<int> parse(CLI::App &app, const std::vector<std::string> &arguments) {
  for (const std::string &argument : arguments) // CLI11 would take the next argument as the value
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
      throw Error("'" + argument + "' has no value behind '='");
  app.get_formatter()->column_width(34);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend()); // CLI11 takes the arguments in reverse order
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ExtrasError &) {
    failExtras(app);
  } catch (const CLI::RequiredError &e) {
    // A missing option may be present in a misspelt form: report that first.
    if (!app.remaining().empty())
      failExtras(app);
    throw Error(std::string(e.what()) + "; `" + app.get_name() + " --help` shows examples");
  } catch (const CLI::ParseError &e) {
    std::string message = e.what();
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
    throw Error(message);
  }
  return std::nullopt;
}

KernelReference parseReference(const std::string &text) {
  size_t at = text.rfind("::");
  if (size_t colon = text.rfind(".py:"); at == std::string::npos && colon != std::string::npos)
    throw Error("'" + text + "': a kernel stands behind two colons: " + text.substr(0, colon + 4) +
                text.substr(colon + 3));
  if (at == std::string::npos)
    return {text, {}};
  if (at == 0 || at + 2 == text.size())
    throw Error("'" + text + "' names no kernel; expected FILE.py::KERNEL");
  return {text.substr(0, at), text.substr(at + 2)};
}

std::pair<std::string, std::string> parseAssignment(const std::string &text) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw Error("'" + text + "' is not NAME=VALUE");
  return {text.substr(0, at), text.substr(at + 1)};
}

} // namespace tegula::cli
