package dev.berth.config;

import dev.berth.config.ConfigEdit.KeyChange;
import dev.berth.core.Rejected;
import dev.berth.core.access.Actor;
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
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The current configuration, and changes to it while the server runs. A change is validated as a
 * whole, applied to the server, then written to the file; if any of these steps fails, nothing
 * changes.
 */
public final class LiveConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LiveConfiguration.class);

    private final ConfigSources layers;
    private final Configuration started;
    private final Consumer<Configuration> check;
    private final Follower follow;
    private final Map<ConfigKey<?>, RawValue> memoryOverrides = new LinkedHashMap<>();
    private final SortedMap<String, RuleEntry> saved = new TreeMap<>();
    private volatile Configuration current;

    /**
     * @param started the configuration at the start of the server
     * @param check throws an {@link IllegalArgumentException} whose message begins with a key if no
     *     server could start with the configuration
     * @param follow applies the rules to the running server; it throws in the same way
     */
    public LiveConfiguration(
            ConfigSources layers,
            Configuration started,
            Consumer<Configuration> check,
            Follower follow) {
        this.layers = layers;
        this.started = started;
        this.check = check;
        this.follow = follow;
        this.current = started;
    }

    /** Applies a configuration to the running server. */
    @FunctionalInterface
    public interface Follower {
        void follow(Configuration next, ConfigEdit edit);
    }

    public Configuration current() {
        return current;
    }

    /** The rules, and the file that a new one is written to. */
    public Rules rules() {
        var shown = current;
        var entries =
                Stream.concat(ChangeableKeys.RULES.stream(), familyRules(shown).stream())
                        .map(key -> RuleEntries.of(key, shown))
                        .toList();
        return new Rules(newRuleFile(), RuleEntries.values(entries), entries);
    }

    /** The rules with a user-defined name that are set. */
    private static List<ConfigKey<?>> familyRules(Configuration shown) {
        return shown.entries().stream()
                .<ConfigKey<?>>flatMap(entry -> ChangeableKeys.findFamilyRule(entry.key()).stream())
                .toList();
    }

    private String newRuleFile() {
        try {
            return ruleFile(ConfigValues.of(layers, FileDrafts.NONE)).displayName();
        } catch (InvalidConfigException _) {
            // The next change reports what is wrong with the files.
            return layers.changesFile().displayName();
        }
    }

    /** The settings as they will be after a restart. */
    public SavedSettings settings() {
        var entries = ChangeableKeys.SETTINGS.stream().map(this::savedOrStarted).toList();
        var files =
                layers.files(layers.lanesFile(laneFilePath())).stream()
                        .filter(FileDrafts.NONE::exists)
                        .map(ConfigSources.ConfigFile::displayName)
                        .toList();
        return new SavedSettings(
                RuleEntries.values(entries), entries, files, needsRestart(entries));
    }

    private boolean needsRestart(List<RuleEntry> entries) {
        return entries.stream()
                .anyMatch(
                        entry ->
                                started.entry(entry.key())
                                        .filter(old -> !Objects.equals(old.value(), entry.value()))
                                        .isPresent());
    }

    private String laneFilePath() {
        return started.entry(LaneKeys.CONFIG_PATH.name())
                .map(entry -> String.valueOf(entry.value()))
                .orElse(ConfigSources.LANES_FILE);
    }

    private synchronized RuleEntry savedOrStarted(ConfigKey<?> key) {
        var later = saved.get(key.name());
        return later == null ? RuleEntries.of(key, started) : later;
    }

    /**
     * The settings.
     *
     * @param files existing files, in ascending precedence
     */
    public record SavedSettings(
            Map<String, @Nullable Object> values,
            List<RuleEntry> entries,
            List<String> files,
            boolean needsRestart) {}

    /**
     * Changes rules.
     *
     * @param body values by key; null restores the default
     * @param isKept true to write the change to the file, so that it survives a restart
     */
    public synchronized void changeRules(Actor actor, Map<String, ?> body, boolean isKept)
            throws ConfigChangeRejected {
        var wanted = parseRules(body);
        var overrides = new LinkedHashMap<>(memoryOverrides);
        List<FileReplacement.FileDraft> drafts = List.of();
        if (isKept) {
            requireNotOverridden(wanted, layers);
            drafts = drafts(wanted, true);
            overrides.keySet().removeAll(wanted.keySet());
        } else {
            overrides.putAll(wanted);
        }
        apply(drafts, overrides, wanted.keySet(), new ConfigEdit(actor, List.of()));
    }

    /** The names of the rules that such a change gives a value. */
    public Set<String> rulesSetBy(Map<String, ?> body) throws ConfigChangeRejected {
        var names = new TreeSet<String>();
        parseRules(body)
                .forEach(
                        (key, value) -> {
                            if (!(value instanceof RawValue.NullValue)) {
                                names.add(key.name());
                            }
                        });
        return names;
    }

    private Map<ConfigKey<?>, RawValue> parseRules(Map<String, ?> body)
            throws ConfigChangeRejected {
        return ConfigChanges.parse(
                body, ChangeableKeys.RULES, ChangeableKeys.RULE_FAMILIES, familyRules(current));
    }

    /** Saves settings, which take effect at the next start. */
    public synchronized void saveSettings(Actor actor, Map<String, ?> body)
            throws ConfigChangeRejected {
        var wanted = ConfigChanges.parse(body, ChangeableKeys.SETTINGS, List.of(), List.of());
        if (wanted.containsKey(ConfigKeys.HOST)) {
            throw new ConfigChangeRejected(
                    Rejected.invalid("setting.only_in_file", ConfigKeys.HOST.name())
                            .with("file", layers.berthFile().displayName()));
        }
        // Command line options apply to this start only.
        var next = layers.withoutOptions();
        requireNotOverridden(wanted, next);
        var drafts = drafts(wanted, false);
        var later = load(next, drafts, Map.of(), wanted.keySet());
        call(check, later, wanted.keySet());
        var changes =
                KeyChange.of(
                        wanted.keySet(), this::savedOrStarted, key -> RuleEntries.of(key, later));
        apply(drafts, memoryOverrides, wanted.keySet(), new ConfigEdit(actor, changes));
        wanted.keySet().forEach(key -> saved.put(key.name(), RuleEntries.of(key, later)));
    }

    /** Names the key that the message mentions, or else the first key of the change. */
    private static ConfigChangeRejected rejected(
            String code, Exception why, Set<ConfigKey<?>> keys) {
        var detail = String.valueOf(why.getMessage());
        var names = keys.stream().map(ConfigKey::name).toList();
        var field =
                names.stream()
                        .filter(detail::contains)
                        .findFirst()
                        .orElse(names.isEmpty() ? "" : names.getFirst());
        return new ConfigChangeRejected(
                Rejected.invalid(code, field).variant("whole").with("problem", detail));
    }

    /** Rejects writing a key to a file while the environment or an option overrides all files. */
    private static void requireNotOverridden(
            Map<ConfigKey<?>, RawValue> wanted, ConfigSources layers) throws ConfigChangeRejected {
        for (var key : wanted.keySet()) {
            boolean isVariable =
                    !layers.environment().getOrDefault(key.environmentVariable(), "").isEmpty();
            if (isVariable || layers.options().containsKey(key.name())) {
                var where =
                        isVariable
                                ? "the environment (" + key.environmentVariable() + ")"
                                : "an option";
                throw new ConfigChangeRejected(
                        Rejected.conflict("rule.set_elsewhere")
                                .with("key", key.name())
                                .with("where", where));
            }
        }
    }

    private List<FileReplacement.FileDraft> drafts(
            Map<ConfigKey<?>, RawValue> wanted, boolean isRule) throws ConfigChangeRejected {
        ConfigFileEditor editing;
        ConfigSources.ConfigFile fallback;
        try {
            var values = ConfigValues.of(layers, FileDrafts.NONE);
            editing = new ConfigFileEditor(values.files(), layers.rootsFile());
            fallback = isRule ? ruleFile(values) : settingFile();
        } catch (InvalidConfigException broken) {
            throw brokenFile(broken);
        }
        for (var change : wanted.entrySet()) {
            try {
                editing.apply(change.getKey(), change.getValue(), fallback);
            } catch (InvalidConfigException impossible) {
                throw notEditable(change.getKey(), impossible);
            } catch (ConfigFileEditor.SetByRootException elsewhere) {
                throw new ConfigChangeRejected(
                        Rejected.conflict("rule.set_by_root")
                                .with("key", change.getKey().name())
                                .with("file", String.valueOf(elsewhere.getMessage())));
            }
        }
        return editing.drafts();
    }

    private static ConfigChangeRejected notEditable(ConfigKey<?> key, InvalidConfigException why) {
        var problem = String.valueOf(why.getMessage());
        return new ConfigChangeRejected(
                new Rejected(
                        Rejected.Kind.CONFLICT,
                        "rule.not_editable",
                        key.name(),
                        Map.of("problem", problem)));
    }

    private ConfigSources.ConfigFile ruleFile(ConfigValues values) {
        if (layers.rootsFile().isPresent()) {
            return layers.changesFile();
        }
        var rules = layers.rulesFile();
        if (values.files().contains(rules)) {
            return rules;
        }
        return values.files().contains(values.lanesFile())
                ? values.lanesFile()
                : layers.changesFile();
    }

    private ConfigSources.ConfigFile settingFile() {
        return layers.rootsFile().isEmpty() && FileDrafts.NONE.exists(layers.settingsFile())
                ? layers.settingsFile()
                : layers.changesFile();
    }

    /** Validates, applies and writes; all or nothing. */
    private void apply(
            List<FileReplacement.FileDraft> drafts,
            Map<ConfigKey<?>, RawValue> overrides,
            Set<ConfigKey<?>> keys,
            ConfigEdit request)
            throws ConfigChangeRejected {
        var next = started.withRulesOf(load(layers, drafts, overrides, keys));
        var before = current;
        var edit =
                request.with(
                        KeyChange.of(
                                keys,
                                key -> RuleEntries.of(key, before),
                                key -> RuleEntries.of(key, next)));
        try (var rewriting = FileReplacement.prepare(drafts)) {
            rewriting.requireUnchanged();
            call(config -> follow.follow(config, edit), next, keys);
            commit(rewriting, edit);
        } catch (FileReplacement.ConcurrentChangeException overtaken) {
            throw new ConfigChangeRejected(
                    Rejected.conflict("rule.file_changed")
                            .with("file", String.valueOf(overtaken.getMessage())));
        } catch (IOException failed) {
            throw new ConfigChangeRejected(
                    Rejected.unavailable("rule.not_written").with("why", failed));
        }
        current = next;
        var kept = new LinkedHashMap<>(overrides);
        memoryOverrides.clear();
        memoryOverrides.putAll(kept);
        drafts.forEach(draft -> log.info("changed file={}", draft.file().displayName()));
    }

    /** A change that cannot be written must not stay in effect. */
    private void commit(FileReplacement rewriting, ConfigEdit edit)
            throws IOException, FileReplacement.ConcurrentChangeException {
        try {
            rewriting.commit();
        } catch (IOException | FileReplacement.ConcurrentChangeException failed) {
            follow.follow(current, edit.reverted());
            throw failed;
        }
    }

    private static void call(
            Consumer<Configuration> whom, Configuration next, Set<ConfigKey<?>> keys)
            throws ConfigChangeRejected {
        try {
            whom.accept(next);
        } catch (IllegalArgumentException refused) {
            throw rejected("rule.refused", refused, keys);
        }
    }

    /** Loads the configuration with the new texts. The files on disk must be valid, too. */
    private static Configuration load(
            ConfigSources layers,
            List<FileReplacement.FileDraft> drafts,
            Map<ConfigKey<?>, RawValue> overrides,
            Set<ConfigKey<?>> keys)
            throws ConfigChangeRejected {
        var texts = new TreeMap<Path, String>();
        drafts.forEach(draft -> texts.put(draft.file().path(), draft.after()));
        try {
            Configuration.of(ConfigValues.of(layers, FileDrafts.NONE), layers.home());
        } catch (InvalidConfigException broken) {
            throw brokenFile(broken);
        }
        try {
            var values = ConfigValues.of(layers, new FileDrafts(texts));
            for (var one : overrides.entrySet()) {
                values.override(one.getKey(), one.getValue());
            }
            return Configuration.of(values, layers.home());
        } catch (InvalidConfigException refused) {
            throw rejected("rule.invalid", refused, keys);
        }
    }

    private static ConfigChangeRejected brokenFile(InvalidConfigException why) {
        return conflict("rule.file_broken", why);
    }

    private static ConfigChangeRejected conflict(String code, InvalidConfigException why) {
        return new ConfigChangeRejected(
                Rejected.conflict(code).with("problem", String.valueOf(why.getMessage())));
    }
}
