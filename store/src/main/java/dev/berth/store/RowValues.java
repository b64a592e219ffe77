package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The values of one row by column index, and their checksum. NULL does not enter a checksum, so a
 * column that is added to a table later does not change those of its rows.
 */
final class RowValues {

    private static final int MAX_FIXED_BYTES = 1 + Long.BYTES;

    private static final byte ABSENT = 0;
    private static final byte NUMBER = 1;
    private static final byte TEXT = 2;
    private static final byte DECIMAL = 3;

    private final byte[] kinds;
    private final long[] numbers;
    private final byte[][] texts;

    /** What {@link #texts} say; empty until it is asked for. */
    private final List<Optional<String>> strings;

    private final CRC32C crc = new CRC32C();
    private byte[] buffer = new byte[1024];
    private int used;

    /**
     * @param columns how many there are; their indexes count from 1
     */
    RowValues(int columns) {
        kinds = new byte[columns + 1];
        numbers = new long[columns + 1];
        texts = new byte[columns + 1][0];
        strings = new ArrayList<>(Collections.nCopies(columns + 1, Optional.empty()));
    }

    void clear() {
        Arrays.fill(kinds, ABSENT);
    }

    void setNull(int column) {
        kinds[column] = ABSENT;
    }

    void setNumber(int column, long value) {
        kinds[column] = NUMBER;
        numbers[column] = value;
    }

    void setDecimal(int column, double value) {
        kinds[column] = DECIMAL;
        numbers[column] = Double.doubleToRawLongBits(value);
    }

    /** The rows of a result often have equal texts: these are in memory once. */
    void setText(int column, byte[] utf8) {
        kinds[column] = TEXT;
        if (!Arrays.equals(texts[column], utf8)) {
            texts[column] = utf8;
            strings.set(column, Optional.empty());
        }
    }

    boolean isNull(int column) {
        return kinds[column] == ABSENT;
    }

    /** 0 for NULL, as the driver does. */
    long number(int column) {
        return kinds[column] == NUMBER ? numbers[column] : 0;
    }

    double decimal(int column) {
        return kinds[column] == DECIMAL ? Double.longBitsToDouble(numbers[column]) : 0;
    }

    byte @Nullable [] text(int column) {
        return kinds[column] == TEXT ? texts[column] : null;
    }

    Optional<String> string(int column) {
        if (kinds[column] != TEXT) {
            return Optional.empty();
        }
        if (strings.get(column).isEmpty()) {
            strings.set(column, Optional.of(new String(texts[column], StandardCharsets.UTF_8)));
        }
        return strings.get(column);
    }

    /** The value as it is shown to people. */
    String show(int column) {
        return switch (kinds[column]) {
            case NUMBER -> Long.toString(numbers[column]);
            case DECIMAL -> Double.toString(decimal(column));
            case TEXT -> new String(texts[column], StandardCharsets.UTF_8);
            default -> "NULL";
        };
    }

    /** The CRC-32C of the label and of each column's name and value. */
    long checksum(CheckedColumns part) {
        crc.reset();
        used = 0;
        append(part.label().getBytes(StandardCharsets.UTF_8));
        for (var column : part.columns()) {
            int index = column.index();
            if (kinds[index] == ABSENT) {
                continue;
            }
            append(column.bytes());
            if (kinds[index] == TEXT) {
                appendTagged(TEXT, texts[index].length);
                append(texts[index]);
            } else {
                appendTagged(kinds[index], numbers[index]);
            }
        }
        crc.update(buffer, 0, used);
        return crc.getValue();
    }

    private void append(byte[] bytes) {
        if (used + bytes.length > buffer.length) {
            crc.update(buffer, 0, used);
            used = 0;
        }
        if (bytes.length > buffer.length) {
            crc.update(bytes, 0, bytes.length);
            return;
        }
        System.arraycopy(bytes, 0, buffer, used, bytes.length);
        used += bytes.length;
    }

    private void appendTagged(byte tag, long value) {
        if (used + MAX_FIXED_BYTES > buffer.length) {
            crc.update(buffer, 0, used);
            used = 0;
        }
        buffer[used++] = tag;
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            buffer[used++] = (byte) (value >>> shift);
        }
    }
}
