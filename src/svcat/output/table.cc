#include "svcat/output/table.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::svcat {
namespace {

constexpr size_t kCell = 30;
constexpr size_t kLine = 80;

void pad(std::ostream& out, size_t count) {
  for (; count > 0; --count) out << ' ';
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  size_t length = 0;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    const auto size = utf8_length(word);
    if (length > 0 && length + 1 + size > width) {
      lines.push_back(std::move(line));
      line.clear();
      length = 0;
    }
    if (length > 0) {
      line += ' ';
      ++length;
    }
    line += word;
    length += size;
    word.clear();
  };
  for (const char c : printable(text)) {
    if (c == ' ') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

Table::Table(std::ostream& out, std::vector<Column> columns, Style style)
    : out_(out), columns_(std::move(columns)), style_(style), widths_(columns_.size()) {
  for (size_t i = 0; i < columns_.size(); ++i) widths_[i] = columns_[i].title.size();
}

void Table::add(Row row) { rows_.push_back(std::move(row)); }

size_t Table::limit_of(size_t column) const {
  if (!columns_[column].grows) return kCell;
  size_t others = 4 + 3 * (columns_.size() - 1);
  for (size_t i = 0; i < widths_.size(); ++i) others += i == column ? 0 : widths_[i];
  return others + kCell >= kLine ? kCell : kLine - others;
}

void Table::fit(const std::vector<Row>& rows) {
  // The growing column takes what the others leave, so it comes last.
  for (const bool growing : {false, true}) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].grows != growing) continue;
      const auto limit = limit_of(i);
      for (const auto& row : rows) {
        for (const auto& line : wrap(row[i].text, limit)) widths_[i] = std::max(widths_[i], utf8_length(line));
      }
    }
  }
}

void Table::print_titles() {
  out_ << "  ";
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto slack = widths_[i] - columns_[i].title.size();
    if (i > 0) out_ << "   ";
    pad(out_, slack / 2);
    out_ << style_.paint(columns_[i].title, Color::kBold);
    pad(out_, slack - slack / 2);
  }
  out_ << "  \n+";
  for (const auto width : widths_) out_ << std::string(width + 2, '-') << '+';
  out_ << '\n';
}

void Table::print(const Row& row) {
  std::vector<Lines> cells;
  size_t height = 1;
  for (size_t i = 0; i < columns_.size(); ++i) {
    cells.push_back(wrap(row[i].text, std::max(limit_of(i), columns_[i].grows ? widths_[i] : 0)));
    height = std::max(height, cells.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    out_ << "  ";
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string text = line < cells[i].size() ? cells[i][line] : std::string();
      if (i > 0) out_ << "   ";
      out_ << style_.paint(text, row[i].color);
      const auto length = utf8_length(text);
      pad(out_, widths_[i] > length ? widths_[i] - length : 0);
    }
    out_ << "  \n";
  }
}

void Table::flush() {
  fit(rows_);
  if (!begun_) print_titles();
  begun_ = true;
  for (const auto& row : rows_) print(row);
  rows_.clear();
  out_.flush();
}

}  // namespace chandler::svcat
