package dev.berth.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Puts changes into the texts of the files in which the keys stand. */
final class Editing {

    private final List<Layers.File> files;
    private final SortedMap<Integer, String> before = new TreeMap<>();
    private final SortedMap<Integer, String> after = new TreeMap<>();

    /**
     * @param files that are there, the least important first
     */
    Editing(List<Layers.File> files) throws ConfigRefused {
        this.files = new ArrayList<>(files);
        for (int i = 0; i < files.size(); i++) {
            var text = YamlFile.text(files.get(i).path(), files.get(i).shown());
            before.put(i, text);
            after.put(i, text);
        }
    }

    /**
     * @param fallback where a key goes that stands nowhere
     */
    void apply(Key<?> key, Written wanted, Layers.File fallback) throws ConfigRefused {
        if (wanted instanceof Written.Nothing) {
            remove(key);
        } else {
            set(key, wanted, fallback);
        }
    }

    private void set(Key<?> key, Written value, Layers.File fallback) throws ConfigRefused {
        var place = place(key);
        if (place.isPresent()
                && key.kind().read(place.get().line().value()).equals(key.kind().read(value))) {
            // So that a list is not written in another way for nothing.
            return;
        }
        int at = place.map(Place::file).orElseGet(() -> index(fallback));
        var name = place.map(one -> one.line().key()).orElse(key.name());
        after.put(at, YamlEdit.set(files.get(at).shown(), text(at), name, value));
    }

    /** Wherever it stands: what is left would be in force. */
    private void remove(Key<?> key) throws ConfigRefused {
        for (var place = place(key); place.isPresent(); place = place(key)) {
            int at = place.get().file();
            var name = place.get().line().key();
            after.put(at, YamlEdit.remove(files.get(at).shown(), text(at), name));
        }
    }

    private String text(int at) {
        return after.getOrDefault(at, "");
    }

    private record Place(int file, YamlFile.Line line) {}

    /** Where a key stands that stands in several places and wins. */
    private Optional<Place> place(Key<?> key) throws ConfigRefused {
        Optional<Place> last = Optional.empty();
        for (int i : after.keySet()) {
            for (var line : YamlFile.parse(text(i), files.get(i).shown())) {
                if (Keys.named(line.key()).filter(key::equals).isPresent()) {
                    last = Optional.of(new Place(i, line));
                }
            }
        }
        return last;
    }

    private int index(Layers.File file) {
        if (!files.contains(file)) {
            files.add(file);
        }
        return files.indexOf(file);
    }

    /** The files whose text is another now. */
    List<Rewriting.Draft> drafts() {
        var drafts = new ArrayList<Rewriting.Draft>();
        after.forEach(
                (i, text) -> {
                    var old = Optional.ofNullable(before.get(i));
                    if (!old.equals(Optional.of(text))) {
                        drafts.add(new Rewriting.Draft(files.get(i), old, text));
                    }
                });
        return drafts;
    }
}
