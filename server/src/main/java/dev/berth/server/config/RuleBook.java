package dev.berth.server.config;

import dev.berth.core.Rejected;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Refused;
import dev.berth.wire.RuleEntry;
import dev.berth.wire.Rules;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What is set, and how it is changed while the server runs. A change is checked whole, followed,
 * and then stands in the file; where any of that fails, nothing has happened.
 */
public final class RuleBook {

    private static final Logger log = LoggerFactory.getLogger(RuleBook.class);

    private final Layers layers;
    private final Configuration started;
    private final Consumer<Configuration> check;
    private final Consumer<Configuration> follow;
    private final Map<Key<?>, Written> memory = new LinkedHashMap<>();
    private final SortedMap<String, RuleEntry> saved = new TreeMap<>();
    private volatile Configuration now;

    /**
     * @param started with what the server was started
     * @param check refuses, by an {@link IllegalArgumentException} that begins with the name of a
     *     key, what no server could be started with
     * @param follow makes the server do as the rules say from now on; it refuses in the same way
     */
    public RuleBook(
            Layers layers,
            Configuration started,
            Consumer<Configuration> check,
            Consumer<Configuration> follow) {
        this.layers = layers;
        this.started = started;
        this.check = check;
        this.follow = follow;
        this.now = started;
    }

    /** What is in force. */
    public Configuration now() {
        return now;
    }

    /** The rules, and where a new one goes. */
    public Rules rules() {
        var shown = now;
        var entries = RuleKeys.RULES.stream().map(key -> RuleWords.of(key, shown)).toList();
        return new Rules(newRulesGo(), RuleWords.values(entries), entries);
    }

    private String newRulesGo() {
        try {
            return ruleFile(Values.of(layers, Drafts.NONE)).shown();
        } catch (ConfigRefused _) {
            // Whoever changes something is told what is wrong with it.
            return layers.own().shown();
        }
    }

    /** As they will be after a restart. */
    public Saved settings() {
        var entries =
                RuleKeys.SETTINGS.stream()
                        .map(
                                key -> {
                                    var later = saved(key);
                                    return later == null ? RuleWords.of(key, started) : later;
                                })
                        .toList();
        var files =
                layers.files(layers.lanes(lanesPath())).stream()
                        .filter(Drafts.NONE::has)
                        .map(Layers.File::shown)
                        .toList();
        return new Saved(RuleWords.values(entries), entries, files, needsRestart(entries));
    }

    private boolean needsRestart(List<RuleEntry> entries) {
        return entries.stream()
                .anyMatch(
                        entry ->
                                started.entry(entry.key())
                                        .filter(old -> !Objects.equals(old.value(), entry.value()))
                                        .isPresent());
    }

    private String lanesPath() {
        return started.entry(LaneKeys.CONFIG_PATH.name())
                .map(entry -> String.valueOf(entry.value()))
                .orElse(Layers.LANES_FILE);
    }

    private synchronized @Nullable RuleEntry saved(Key<?> key) {
        return saved.get(key.name());
    }

    /**
     * The settings.
     *
     * @param files that are there, the least important first
     */
    public record Saved(
            Map<String, @Nullable Object> values,
            List<RuleEntry> entries,
            List<String> files,
            boolean needsRestart) {}

    /**
     * Changes rules.
     *
     * @param body by key; null is the usual value
     * @param isKept in the file too, and so beyond the server's end
     */
    public synchronized void change(Map<String, ?> body, boolean isKept) throws Refused {
        var wanted = Changes.of(body, RuleKeys.RULES);
        var overrides = new LinkedHashMap<>(memory);
        List<Rewriting.Draft> drafts = List.of();
        if (isKept) {
            requireFilesCount(wanted, layers);
            drafts = drafts(wanted, true);
            overrides.keySet().removeAll(wanted.keySet());
        } else {
            overrides.putAll(wanted);
        }
        apply(drafts, overrides, wanted.keySet());
    }

    /** Saves settings, which hold from the next start. */
    public synchronized void save(Map<String, ?> body) throws Refused {
        var wanted = Changes.of(body, RuleKeys.SETTINGS);
        if (wanted.containsKey(Keys.HOST)) {
            throw Refused.invalid(
                    "setting.only_in_file",
                    Keys.HOST.name(),
                    "host decides who can reach this server: set it in "
                            + layers.own().shown()
                            + ".");
        }
        // An option was said for this once; the next start may be without.
        var next = layers.withoutWords();
        requireFilesCount(wanted, next);
        var drafts = drafts(wanted, false);
        var later = loaded(next, drafts, Map.of(), wanted.keySet());
        ask(check, later, wanted.keySet());
        apply(drafts, memory, wanted.keySet());
        wanted.keySet().forEach(key -> saved.put(key.name(), RuleWords.of(key, later)));
    }

    /** The key that a refusal speaks of, or else the first that was to be changed. */
    private static Refused refused(String code, Exception why, Set<Key<?>> keys) {
        var detail = String.valueOf(why.getMessage());
        var names = keys.stream().map(Key::name).toList();
        var field =
                names.stream()
                        .filter(detail::contains)
                        .findFirst()
                        .orElse(names.isEmpty() ? "" : names.getFirst());
        return Refused.invalid(code, field, detail);
    }

    /** A file is no place for what is set where it wins over every file. */
    private static void requireFilesCount(Map<Key<?>, Written> wanted, Layers layers)
            throws Refused {
        for (var key : wanted.keySet()) {
            boolean isVariable = !layers.environment().getOrDefault(key.variable(), "").isEmpty();
            if (isVariable || layers.words().containsKey(key.name())) {
                var where = isVariable ? "the environment (" + key.variable() + ")" : "an option";
                throw new Refused(
                        Rejected.conflict(
                                        "rule.set_elsewhere",
                                        key.name()
                                                + " is set by "
                                                + where
                                                + ", which wins over every file: change it there.")
                                .with("key", key.name())
                                .with("where", where));
            }
        }
    }

    private List<Rewriting.Draft> drafts(Map<Key<?>, Written> wanted, boolean isRule)
            throws Refused {
        Editing editing;
        Layers.File fallback;
        try {
            var values = Values.of(layers, Drafts.NONE);
            editing = new Editing(values.files());
            fallback = isRule ? ruleFile(values) : settingFile();
        } catch (ConfigRefused broken) {
            throw broken(broken);
        }
        for (var change : wanted.entrySet()) {
            try {
                editing.apply(change.getKey(), change.getValue(), fallback);
            } catch (ConfigRefused impossible) {
                throw notEditable(change.getKey(), impossible);
            }
        }
        return editing.drafts();
    }

    private static Refused notEditable(Key<?> key, ConfigRefused why) {
        var problem = String.valueOf(why.getMessage());
        return new Refused(
                new Rejected(
                        Rejected.Kind.CONFLICT,
                        "rule.not_editable",
                        key.name(),
                        key.name() + " cannot be written, and nothing was changed: " + problem,
                        Map.of("problem", problem)));
    }

    private Layers.File ruleFile(Values values) {
        var rules = layers.rules();
        if (values.files().contains(rules)) {
            return rules;
        }
        return values.files().contains(values.lanesFile()) ? values.lanesFile() : layers.own();
    }

    private Layers.File settingFile() {
        return Drafts.NONE.has(layers.settings()) ? layers.settings() : layers.own();
    }

    /** All or nothing: checked, followed, written. */
    private void apply(
            List<Rewriting.Draft> drafts, Map<Key<?>, Written> overrides, Set<Key<?>> keys)
            throws Refused {
        var next = started.following(loaded(layers, drafts, overrides, keys));
        try (var rewriting = Rewriting.prepare(drafts)) {
            rewriting.requireSame();
            ask(follow, next, keys);
            commit(rewriting);
        } catch (Rewriting.Overtaken overtaken) {
            throw new Refused(
                    Rejected.conflict(
                                    "rule.file_changed",
                                    overtaken.getMessage()
                                            + " was changed by somebody else in this moment."
                                            + " Nothing was written: look, and try again.")
                            .with("file", String.valueOf(overtaken.getMessage())));
        } catch (IOException failed) {
            throw new Refused(
                    Answer.problem(
                            503,
                            "rule.not_written",
                            "The configuration cannot be written, and nothing was changed: "
                                    + failed));
        }
        now = next;
        var kept = new LinkedHashMap<>(overrides);
        memory.clear();
        memory.putAll(kept);
        drafts.forEach(draft -> log.info("changed file={}", draft.file().shown()));
    }

    /** What is not written must not be in force either. */
    private void commit(Rewriting rewriting) throws IOException, Rewriting.Overtaken {
        try {
            rewriting.commit();
        } catch (IOException | Rewriting.Overtaken failed) {
            follow.accept(now);
            throw failed;
        }
    }

    private static void ask(Consumer<Configuration> whom, Configuration next, Set<Key<?>> keys)
            throws Refused {
        try {
            whom.accept(next);
        } catch (IllegalArgumentException refused) {
            throw refused("rule.refused", refused, keys);
        }
    }

    /** With the files as they would be; those as they are must be in order. */
    private static Configuration loaded(
            Layers layers,
            List<Rewriting.Draft> drafts,
            Map<Key<?>, Written> overrides,
            Set<Key<?>> keys)
            throws Refused {
        var texts = new TreeMap<Path, String>();
        drafts.forEach(draft -> texts.put(draft.file().path(), draft.after()));
        try {
            Configuration.of(Values.of(layers, Drafts.NONE), layers.home());
        } catch (ConfigRefused broken) {
            throw broken(broken);
        }
        try {
            var values = Values.of(layers, new Drafts(texts));
            for (var one : overrides.entrySet()) {
                values.override(one.getKey(), one.getValue());
            }
            return Configuration.of(values, layers.home());
        } catch (ConfigRefused refused) {
            throw refused("rule.invalid", refused, keys);
        }
    }

    private static Refused broken(ConfigRefused why) {
        return conflict(
                "rule.file_broken",
                "The configuration was changed since the server started and cannot be read. Nothing"
                        + " was written. Correct it first: ",
                why);
    }

    private static Refused conflict(String code, String words, ConfigRefused why) {
        return new Refused(
                Rejected.conflict(code, words + why.getMessage())
                        .with("problem", String.valueOf(why.getMessage())));
    }
}
