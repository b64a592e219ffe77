package dev.berth.cli.link;

import dev.berth.wire.RuleEntry;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What {@link WireReader} does, for what can be changed while the server runs. */
public final class RuleReader {

    private RuleReader() {}

    public static List<RuleEntry> rules(@Nullable Object json) {
        List<RuleEntry> entries = new ArrayList<>();
        for (Fields entry : Fields.of(json).objects("entries")) {
            List<String> words = entry.texts("words");
            entries.add(
                    new RuleEntry(
                            entry.text("key"),
                            entry.map().get("value"),
                            entry.map().get("usual"),
                            entry.text("source"),
                            entry.text("kind"),
                            words.isEmpty() ? null : words,
                            entry.longOrNull("least"),
                            entry.longOrNull("most"),
                            entry.text("about")));
        }
        return entries;
    }
}
