package dev.berth.store;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The columns of a row that one checksum covers.
 *
 * @param label the name of the checksum column in a result; it names the table too
 * @param checksum the index of the checksum column
 * @param columns in the order of their names, so that the checksum does not depend on the order of
 *     declaration
 */
record CheckedColumns(String label, int checksum, List<Named> columns) {

    private static final String OF = "_of_";

    /** A column and its name as it enters the checksum. */
    record Named(int index, String name, byte[] bytes) {
        static Named of(int index, String name) {
            return new Named(index, name, name.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * @param first the index of the first name; the checksum column follows the last
     */
    static CheckedColumns of(String table, String checksum, List<String> names, int first) {
        var columns =
                IntStream.range(0, names.size())
                        .mapToObj(at -> Named.of(first + at, names.get(at)))
                        .sorted(Comparator.comparing(Named::name))
                        .toList();
        return new CheckedColumns(checksum + OF + table, first + names.size(), columns);
    }

    /** Finds the checksum columns of a result by their labels. */
    static List<CheckedColumns> of(ResultSetMetaData result) throws SQLException {
        var found = new ArrayList<CheckedColumns>();
        var names = new ArrayList<String>();
        for (int index = 1; index <= result.getColumnCount(); index++) {
            var label = result.getColumnLabel(index);
            int of = label.indexOf("checksum" + OF);
            if (of < 0) {
                names.add(label);
                continue;
            }
            int end = of + "checksum".length();
            var table = label.substring(end + OF.length());
            found.add(of(table, label.substring(0, end), names, index - names.size()));
            names.clear();
        }
        return found;
    }

    String table() {
        return label.substring(label.indexOf(OF) + OF.length());
    }
}
