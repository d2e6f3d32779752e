// Tables as svcat has always drawn them: centred titles, a rule of + and -, cells wrapped by words. Rows can be added
// while the list still arrives: the first ones decide the widths, later ones widen them where they must. Belongs to one
// thread.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "svcat/output/style.h"

namespace chandler::svcat {

struct Cell {
  Cell(std::string content) : text(std::move(content)) {}  // NOLINT: implicit
  Cell(std::string_view content) : text(content) {}        // NOLINT: implicit
  Cell(const char* content) : text(content) {}             // NOLINT: implicit
  Cell(std::string content, Color with) : text(std::move(content)), color(with) {}
  std::string text;
  Color color = Color::kNone;
};

using Row = std::vector<Cell>;

struct Column {
  std::string title;   // in upper case
  bool grows = false;  // the description: as wide as a line of 80 allows
};

class Table {
 public:
  Table(std::ostream& out, std::vector<Column> columns, Style style = {});

  // Kept until the first flush().
  void add(Row row);
  // Titles, once, and all rows that were added.
  void flush();

 private:
  using Lines = std::vector<std::string>;  // of one cell
  size_t limit_of(size_t column) const;
  void print(const Row& row);
  void print_titles();
  void fit(const std::vector<Row>& rows);

  std::ostream& out_;
  const std::vector<Column> columns_;
  const Style style_;
  std::vector<size_t> widths_;
  std::vector<Row> rows_;
  bool begun_ = false;
};

// Lines of at most `width` characters, cut between words; a longer word stands alone. Control characters become blanks.
std::vector<std::string> wrap(std::string_view text, size_t width);

}  // namespace chandler::svcat
