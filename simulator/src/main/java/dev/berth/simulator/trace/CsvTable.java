package dev.berth.simulator.trace;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** A CSV file with a header line, plain or compressed with gzip. */
public final class CsvTable {

    private static final int GZIP_MAGIC = 0x1f8b;

    private CsvTable() {}

    /** Takes the rows of a table, one after the other. */
    @FunctionalInterface
    public interface RowReader {
        void read(CsvRow row) throws InvalidInput;
    }

    /**
     * @throws InvalidInput the content is not a table; names the line
     */
    public static void read(Path file, RowReader reader) throws IOException, InvalidInput {
        var name = String.valueOf(file.getFileName());
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(
                                unpacked(file), StandardCharsets.UTF_8.newDecoder()))) {
            read(name, lines, reader);
        } catch (ZipException | EOFException damaged) {
            throw new InvalidInput(name + ": the gzip data is damaged or incomplete");
        } catch (CharacterCodingException notText) {
            throw new InvalidInput(name + ": this is not UTF-8 text");
        }
    }

    private static void read(String name, BufferedReader lines, RowReader reader)
            throws IOException, InvalidInput {
        var first = lines.readLine();
        if (first == null) {
            throw new InvalidInput(name + ": the file is empty");
        }
        var columns = columns(name, first);
        int number = 1;
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            number++;
            if (line.isEmpty()) {
                continue;
            }
            var place = name + ", line " + number;
            var fields = split(line, place);
            if (fields.size() != columns.size()) {
                throw new InvalidInput(
                        place + ": has " + fields.size() + " fields, not " + columns.size());
            }
            reader.read(new CsvRow(place, columns, fields));
        }
    }

    private static Map<String, Integer> columns(String name, String line) throws InvalidInput {
        var columns = new LinkedHashMap<String, Integer>();
        // Spreadsheets write a byte order mark first.
        var header = line.startsWith("\ufeff") ? line.substring(1) : line;
        for (var column : split(header, name + ", line 1")) {
            if (columns.put(column.strip(), columns.size()) != null) {
                throw new InvalidInput(name + ", line 1: column " + column + " is there twice");
            }
        }
        return columns;
    }

    private static InputStream unpacked(Path file) throws IOException {
        var raw = new BufferedInputStream(Files.newInputStream(file));
        raw.mark(2);
        int magic = raw.read() << 8 | raw.read();
        raw.reset();
        return magic == GZIP_MAGIC ? new GZIPInputStream(raw, 1 << 16) : raw;
    }

    /** A field may be in quotes, in which a doubled quote stands for one. */
    private static List<String> split(String line, String place) throws InvalidInput {
        var fields = new ArrayList<String>();
        int at = 0;
        while (true) {
            if (at < line.length() && line.charAt(at) == '"') {
                var field = new StringBuilder();
                at = quoted(line, at + 1, field);
                if (at < 0 || (at < line.length() && line.charAt(at) != ',')) {
                    throw new InvalidInput(
                            place + ": field " + (fields.size() + 1) + " has a stray quote");
                }
                fields.add(field.toString());
            } else {
                int comma = line.indexOf(',', at);
                int end = comma < 0 ? line.length() : comma;
                fields.add(line.substring(at, end));
                at = end;
            }
            if (at >= line.length()) {
                return fields;
            }
            at++;
        }
    }

    /** The index after the closing quote, or -1 if there is none. */
    private static int quoted(String line, int from, StringBuilder field) {
        for (int at = from; at < line.length(); at++) {
            if (line.charAt(at) != '"') {
                field.append(line.charAt(at));
            } else if (at + 1 < line.length() && line.charAt(at + 1) == '"') {
                field.append('"');
                at++;
            } else {
                return at + 1;
            }
        }
        return -1;
    }
}
