#include "earshot/report/html.hpp"

#include "earshot/report/assets.hpp"
#include "earshot/report/page.hpp"
#include "earshot/report/results.hpp"
#include "earshot/report/view.hpp"

namespace earshot {

std::string render_html(const Json& results) {
  static const std::string script =
      join_scripts({assets::base(), assets::charts(), assets::maps(), assets::model(), assets::elements(),
                    assets::tables(), assets::drawings(), assets::start()});
  return render_page({"earshot report", assets::report_body(), script}, page_view(read_results(results)));
}

}  // namespace earshot
