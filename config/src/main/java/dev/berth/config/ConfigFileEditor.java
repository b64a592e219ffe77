package dev.berth.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Applies changes to the texts of the files that set the keys. */
final class ConfigFileEditor {

    private final List<ConfigSources.ConfigFile> files;
    private final Optional<ConfigSources.ConfigFile> fixed;
    private final SortedMap<Integer, String> before = new TreeMap<>();
    private final SortedMap<Integer, String> after = new TreeMap<>();

    /** A key cannot be reset, because only another user can remove it from this file. */
    static final class SetByRootException extends Exception {
        private static final long serialVersionUID = 1;

        private SetByRootException(String file) {
            super(file);
        }
    }

    /**
     * @param files existing files, in ascending precedence
     * @param fixed the one of them that is not changed; files with a higher precedence override it
     */
    ConfigFileEditor(List<ConfigSources.ConfigFile> files, Optional<ConfigSources.ConfigFile> fixed)
            throws InvalidConfigException {
        this.files = new ArrayList<>(files);
        this.fixed = fixed;
        for (int i = 0; i < files.size(); i++) {
            var text = YamlReader.readText(files.get(i).path(), files.get(i).displayName());
            before.put(i, text);
            after.put(i, text);
        }
    }

    /**
     * @param fallback the file for a key that no file sets yet
     */
    void apply(ConfigKey<?> key, RawValue newValue, ConfigSources.ConfigFile fallback)
            throws InvalidConfigException, SetByRootException {
        if (newValue instanceof RawValue.NullValue) {
            remove(key);
        } else {
            set(key, newValue, fallback);
        }
    }

    private void set(ConfigKey<?> key, RawValue value, ConfigSources.ConfigFile fallback)
            throws InvalidConfigException {
        var location = findLast(key);
        if (location.isPresent()
                && key.type()
                        .parse(location.get().line().value())
                        .equals(key.type().parse(value))) {
            // An equal value is not rewritten, to keep the notation of a list.
            return;
        }
        var editable = location.filter(found -> !isFixed(found.file()));
        int at = editable.map(Location::file).orElseGet(() -> indexOf(fallback));
        var name = editable.map(found -> found.line().key()).orElse(key.name());
        after.put(at, YamlEditor.set(files.get(at).displayName(), textOf(at), name, value));
    }

    /** Removes the key from every file: a remaining entry would take effect. */
    private void remove(ConfigKey<?> key) throws InvalidConfigException, SetByRootException {
        boolean isRemoved = false;
        for (var location = findLast(key); location.isPresent(); location = findLast(key)) {
            int at = location.get().file();
            if (isFixed(at) && isRemoved) {
                return;
            }
            if (isFixed(at)) {
                throw new SetByRootException(files.get(at).displayName());
            }
            isRemoved = true;
            var name = location.get().line().key();
            after.put(at, YamlEditor.remove(files.get(at).displayName(), textOf(at), name));
        }
    }

    private boolean isFixed(int at) {
        return fixed.filter(files.get(at)::equals).isPresent();
    }

    private String textOf(int at) {
        return after.getOrDefault(at, "");
    }

    private record Location(int file, YamlReader.YamlLine line) {}

    /** The entry with the highest precedence, if the key is set more than once. */
    private Optional<Location> findLast(ConfigKey<?> key) throws InvalidConfigException {
        Optional<Location> last = Optional.empty();
        for (int i : after.keySet()) {
            for (var line : YamlReader.parse(textOf(i), files.get(i).displayName())) {
                if (ConfigKeys.find(line.key()).filter(key::equals).isPresent()) {
                    last = Optional.of(new Location(i, line));
                }
            }
        }
        return last;
    }

    private int indexOf(ConfigSources.ConfigFile file) {
        if (!files.contains(file)) {
            files.add(file);
        }
        return files.indexOf(file);
    }

    /** The files whose text has changed. */
    List<FileReplacement.FileDraft> drafts() {
        var drafts = new ArrayList<FileReplacement.FileDraft>();
        after.forEach(
                (i, text) -> {
                    var old = Optional.ofNullable(before.get(i));
                    if (!old.equals(Optional.of(text))) {
                        drafts.add(new FileReplacement.FileDraft(files.get(i), old, text));
                    }
                });
        return drafts;
    }
}
