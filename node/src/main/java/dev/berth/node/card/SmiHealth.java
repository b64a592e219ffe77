package dev.berth.node.card;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Asks {@code nvidia-smi} for the cards' health. It refuses a whole question for one field that it
 * does not know, so older ones are asked for less.
 */
final class SmiHealth implements HealthProbe {

    private static final String WHO = "uuid,pci.bus_id";
    private static final String ERRORS = "ecc.errors.uncorrected.volatile.total";
    private static final String RETIRED = "retired_pages.pending";
    private static final String REMAP = "remapped_rows.pending";
    private static final String REMAP_FAILED = "remapped_rows.failure";
    private static final String HEAT = "clocks_event_reasons.hw_thermal_slowdown";
    private static final String HEAT_ONCE = "clocks_throttle_reasons.hw_thermal_slowdown";
    private static final String REMEDY = "gpu_recovery_action";

    private static final List<List<String>> QUESTIONS =
            List.of(
                    List.of(WHO, ERRORS, RETIRED, REMAP, REMAP_FAILED, HEAT, REMEDY),
                    List.of(WHO, ERRORS, RETIRED, REMAP, REMAP_FAILED, HEAT),
                    List.of(WHO, ERRORS, RETIRED, REMAP, REMAP_FAILED, HEAT_ONCE),
                    List.of(WHO, ERRORS, RETIRED),
                    List.of(WHO));

    /** So many looks are left out after one that understood none of the questions. */
    private static final int REST = 60;

    private static final Pattern UUID = Pattern.compile("[A-Za-z0-9-]{1,80}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern UNKNOWN =
            Pattern.compile("\\[.*|N/A|None|Unknown.*|Not .*|", Pattern.CASE_INSENSITIVE);

    private final Smi smi;
    private Optional<List<String>> understood = Optional.empty();
    private int rest;

    SmiHealth(Smi smi) {
        this.smi = smi;
    }

    @Override
    public List<Health> read() throws ProbeFailure {
        if (understood.isPresent()) {
            return ask(understood.get());
        }
        if (rest > 0) {
            rest--;
            return List.of();
        }
        ProbeFailure refusal = new ProbeFailure("nvidia-smi was not asked");
        for (var question : QUESTIONS) {
            try {
                var answer = ask(question);
                understood = Optional.of(question);
                return answer;
            } catch (ProbeFailure failure) {
                if (!failure.isAnswer()) {
                    throw failure;
                }
                refusal = failure;
            }
        }
        rest = REST;
        throw refusal;
    }

    private List<Health> ask(List<String> question) throws ProbeFailure {
        var fields = String.join(",", question);
        return parse(List.of(fields.split(",", -1)), smi.ask("--query-gpu=" + fields));
    }

    static List<Health> parse(List<String> fields, String text) throws ProbeFailure {
        var all = new ArrayList<Health>();
        for (var line : text.lines().filter(line -> !line.isBlank()).toList()) {
            var values = line.split(",", -1);
            var said = new HashMap<String, String>();
            for (int i = 0; i < values.length && i < fields.size(); i++) {
                said.put(fields.get(i), values[i].strip());
            }
            var place = PciAddress.parse(said.getOrDefault("pci.bus_id", ""));
            var uuid = said.getOrDefault("uuid", "");
            boolean isLost = uuid.startsWith("[");
            if (values.length != fields.size()
                    || (!isLost && (place.isEmpty() || !UUID.matcher(uuid).matches()))) {
                throw ProbeFailure.answer(
                        "nvidia-smi printed something else than health: " + SmiText.shown(line));
            }
            if (!isLost) {
                all.add(health(uuid, place, said));
            }
        }
        return all;
    }

    private static Health health(
            String uuid, Optional<PciAddress> place, Map<String, String> said) {
        return new Health(
                uuid,
                place,
                number(said.getOrDefault(ERRORS, "")),
                is("yes", said, RETIRED) || is("yes", said, REMAP),
                is("yes", said, REMAP_FAILED),
                is("active", said, HEAT) || is("active", said, HEAT_ONCE),
                Optional.of(said.getOrDefault(REMEDY, ""))
                        .filter(word -> !UNKNOWN.matcher(word).matches())
                        .map(word -> word.length() > 60 ? word.substring(0, 60) : word));
    }

    private static boolean is(String word, Map<String, String> said, String field) {
        return said.getOrDefault(field, "").toLowerCase(Locale.ROOT).equals(word);
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
