package dev.berth.node.gpu;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Reads the health of the GPUs with {@code nvidia-smi}. The program rejects a whole query for one
 * unknown field, so older versions get queries with fewer fields.
 */
final class SmiHealth implements HealthProbe {

    private static final String IDENTITY = "uuid,pci.bus_id";
    private static final String ERRORS = "ecc.errors.uncorrected.volatile.total";
    private static final String RETIRED = "retired_pages.pending";
    private static final String REMAP = "remapped_rows.pending";
    private static final String REMAP_FAILED = "remapped_rows.failure";
    private static final String TEMPERATURE_FIELDS = "clocks_event_reasons.hw_thermal_slowdown";
    private static final String OLD_HEAT = "clocks_throttle_reasons.hw_thermal_slowdown";
    private static final String REMEDY = "gpu_recovery_action";

    private static final List<List<String>> QUERIES =
            List.of(
                    List.of(
                            IDENTITY,
                            ERRORS,
                            RETIRED,
                            REMAP,
                            REMAP_FAILED,
                            TEMPERATURE_FIELDS,
                            REMEDY),
                    List.of(IDENTITY, ERRORS, RETIRED, REMAP, REMAP_FAILED, TEMPERATURE_FIELDS),
                    List.of(IDENTITY, ERRORS, RETIRED, REMAP, REMAP_FAILED, OLD_HEAT),
                    List.of(IDENTITY, ERRORS, RETIRED),
                    List.of(IDENTITY));

    /** Number of readings that are skipped after one in which every query was rejected. */
    private static final int SKIPPED_READINGS = 60;

    private static final Pattern UUID = Pattern.compile("[A-Za-z0-9-]{1,80}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern UNKNOWN =
            Pattern.compile("\\[.*|N/A|None|Unknown.*|Not .*|", Pattern.CASE_INSENSITIVE);

    private final SmiProgram smi;
    private Optional<List<String>> accepted = Optional.empty();
    private int skip;

    SmiHealth(SmiProgram smi) {
        this.smi = smi;
    }

    @Override
    public List<GpuHealth> read() throws ProbeFailure {
        if (accepted.isPresent()) {
            return ask(accepted.get());
        }
        if (skip > 0) {
            skip--;
            return List.of();
        }
        ProbeFailure refusal = new ProbeFailure("nvidia-smi was not asked");
        for (var query : QUERIES) {
            try {
                var answer = ask(query);
                accepted = Optional.of(query);
                return answer;
            } catch (ProbeFailure failure) {
                if (!failure.isInvalidAnswer()) {
                    throw failure;
                }
                refusal = failure;
            }
        }
        skip = SKIPPED_READINGS;
        throw refusal;
    }

    private List<GpuHealth> ask(List<String> query) throws ProbeFailure {
        var fields = String.join(",", query);
        return parse(List.of(fields.split(",", -1)), smi.query("--query-gpu=" + fields));
    }

    static List<GpuHealth> parse(List<String> fields, String text) throws ProbeFailure {
        var all = new ArrayList<GpuHealth>();
        for (var line : text.lines().filter(line -> !line.isBlank()).toList()) {
            var columns = line.split(",", -1);
            var values = new HashMap<String, String>();
            for (int i = 0; i < columns.length && i < fields.size(); i++) {
                values.put(fields.get(i), columns[i].strip());
            }
            var address = PciAddress.parse(values.getOrDefault("pci.bus_id", ""));
            var uuid = values.getOrDefault("uuid", "");
            boolean isLost = uuid.startsWith("[");
            if (columns.length != fields.size()
                    || (!isLost && (address.isEmpty() || !UUID.matcher(uuid).matches()))) {
                throw ProbeFailure.ofInvalidAnswer(
                        "nvidia-smi printed something else than health: " + SmiParser.quoted(line));
            }
            if (!isLost) {
                all.add(health(uuid, address, values));
            }
        }
        return all;
    }

    private static GpuHealth health(
            String uuid, Optional<PciAddress> address, Map<String, String> values) {
        return new GpuHealth(
                uuid,
                address,
                number(values.getOrDefault(ERRORS, "")),
                is("yes", values, RETIRED) || is("yes", values, REMAP),
                is("yes", values, REMAP_FAILED),
                is("active", values, TEMPERATURE_FIELDS) || is("active", values, OLD_HEAT),
                Optional.of(values.getOrDefault(REMEDY, ""))
                        .filter(word -> !UNKNOWN.matcher(word).matches())
                        .map(word -> word.length() > 60 ? word.substring(0, 60) : word));
    }

    private static boolean is(String word, Map<String, String> values, String field) {
        return values.getOrDefault(field, "").toLowerCase(Locale.ROOT).equals(word);
    }

    private static OptionalLong number(String text) {
        return NUMBER.matcher(text).matches()
                ? OptionalLong.of(Long.parseLong(text))
                : OptionalLong.empty();
    }

    @Override
    public void close() {
        smi.close();
    }
}
