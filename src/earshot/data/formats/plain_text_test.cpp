#include "earshot/data/formats/plain_text.hpp"

#include <gmock/gmock.h>

namespace earshot {
namespace {

TEST(PlainText, QuotesForMessagesStayOnOneLine) {
  EXPECT_EQ(in_quotes("a\"b\n\x01"), "\"a\\\"b\\n\\u0001\"");
  EXPECT_EQ(in_quotes("\xff"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(in_quotes(std::string(64, 'a')), "\"" + std::string(64, 'a') + "\"");
  EXPECT_EQ(in_quotes(std::string(65, 'a')), "\"" + std::string(64, 'a') + "\"...");
}

}  // namespace
}  // namespace earshot
