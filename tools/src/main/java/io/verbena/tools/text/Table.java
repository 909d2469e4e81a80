package io.verbena.tools.text;

import java.util.List;
import java.util.Locale;

/**
 * A table whose rows are printed one by one. On a terminal that is too narrow for it, each row is a
 * list of titles and values instead, which can be wrapped.
 */
public final class Table {

    private static final String INDENT = "  ";

    private final List<Column> columns;

    /**
     * A column. A cell that is wider than its column moves the rest of its row.
     *
     * @param left whether cells are aligned to the left
     */
    public record Column(String title, int width, boolean left) {

        /** A column of numbers, aligned to the right. */
        public Column(String title, int width) {
            this(title, width, false);
        }

        private String aligned(String cell) {
            return String.format(Locale.ROOT, "%" + (left ? "-" : "") + width + "s", cell);
        }
    }

    /** A table of these columns. */
    public Table(Column... columns) {
        this.columns = List.of(columns);
    }

    /** Whether a row fits a terminal of this width; any row fits 0, which means no terminal. */
    public boolean fits(int terminalColumns) {
        int width = INDENT.length()
                - 1
                + columns.stream().mapToInt(column -> 1 + column.width()).sum();
        return terminalColumns == 0 || width <= terminalColumns;
    }

    /** The line with the titles; empty on a terminal that is too narrow. */
    public List<String> head(int terminalColumns) {
        return fits(terminalColumns)
                ? List.of(aligned(columns.stream().map(Column::title).toList()))
                : List.of();
    }

    /** One row, with a cell for each column. */
    public String row(int terminalColumns, List<String> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException(cells.size() + " cells for " + columns.size() + " columns");
        }
        return fits(terminalColumns) ? aligned(cells) : listed(cells);
    }

    private String aligned(List<String> cells) {
        StringBuilder line = new StringBuilder(INDENT.substring(1));
        for (int i = 0; i < cells.size(); i++) {
            line.append(' ').append(columns.get(i).aligned(cells.get(i)));
        }
        return line.toString().stripTrailing();
    }

    private String listed(List<String> cells) {
        StringBuilder line = new StringBuilder(INDENT);
        for (int i = 0; i < cells.size(); i++) {
            String title = columns.get(i).title();
            line.append(i == 0 ? "" : ", ")
                    .append(title.isEmpty() ? "" : title + ' ')
                    .append(cells.get(i));
        }
        return line.toString();
    }
}
