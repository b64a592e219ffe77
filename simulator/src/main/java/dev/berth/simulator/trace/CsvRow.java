package dev.berth.simulator.trace;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/**
 * One row of a table.
 *
 * @param place file and line, for messages
 */
public record CsvRow(String place, Map<String, Integer> columns, List<String> fields) {

    private static final int LONGEST_QUOTE = 40;

    /** Empty if the table has no such column. */
    public String text(String column) {
        var index = columns.get(column);
        return index == null ? "" : fields.get(index).strip();
    }

    public boolean has(String column) {
        return columns.containsKey(column);
    }

    /** A field that must not be empty. */
    public String required(String column) throws InvalidInput {
        if (!has(column)) {
            throw new InvalidInput(place + ": the table has no column " + column);
        }
        var text = text(column);
        if (text.isEmpty()) {
            throw problem(column, "is empty");
        }
        return text;
    }

    public long whole(String column, long least, long most) throws InvalidInput {
        return whole(column, required(column), least, most);
    }

    /** Zero if the field is empty. */
    public long wholeOrZero(String column, long most) throws InvalidInput {
        var text = text(column);
        return text.isEmpty() ? 0 : whole(column, text, 0, most);
    }

    private long whole(String column, String text, long least, long most) throws InvalidInput {
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Reported below, together with numbers out of range.
        }
        throw problem(
                column, "is not a whole number from " + least + " to " + most + ": " + quote(text));
    }

    /** A decimal number in thousandths; zero if the field is empty. */
    public long thousandths(String column, long most) throws InvalidInput {
        var text = text(column);
        if (text.isEmpty()) {
            return 0;
        }
        try {
            var value = new BigDecimal(text);
            if (value.signum() >= 0 && value.compareTo(BigDecimal.valueOf(most)) <= 0) {
                return value.movePointRight(3).setScale(0, RoundingMode.HALF_EVEN).longValueExact();
            }
        } catch (NumberFormatException _) {
            // Reported below, together with numbers out of range.
        }
        throw problem(column, "is not a number from 0 to " + most + ": " + quote(text));
    }

    public InvalidInput problem(String column, String what) {
        return new InvalidInput(place + ", column " + column + ": " + what);
    }

    private static String quote(String text) {
        return "'"
                + (text.length() > LONGEST_QUOTE ? text.substring(0, LONGEST_QUOTE) + "…" : text)
                + "'";
    }
}
