#include "earshot/report/html.hpp"

#include <string_view>

#include "earshot/report/assets.hpp"
#include "earshot/report/page.hpp"
#include "earshot/report/results.hpp"
#include "earshot/report/view.hpp"

namespace earshot {
namespace {

const std::string& page_script() {
  static const std::string script = [] {
    std::string all;
    for (const std::string_view part :
         {assets::model(), assets::elements(), assets::tables(), assets::drawings(), assets::start()})
      all.append(part);
    return all;
  }();
  return script;
}

}  // namespace

std::string render_html(const Json& results) {
  return render_page(assets::page(), page_view(read_results(results)), page_script());
}

}  // namespace earshot
