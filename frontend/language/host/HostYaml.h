// Values of host code from YAML or JSON.
#pragma once

#include "frontend/language/host/HostObject.h"

namespace tegula::lang {

/// The value of the first document, as `yaml.safe_load` of PyYAML gives it: null, booleans, integers, floats, strings,
/// lists and dictionaries, anchors and merged keys (`<<`). JSON is read as the part of YAML that it is. Nothing where
/// the text is wrong or nested deeper than 100 levels; `problem` then says why.
std::optional<HostObject> readYaml(const std::string &text, std::string &problem);

} // namespace tegula::lang
