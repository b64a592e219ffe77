package dev.berth.core.commandfile;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Why a block is invalid. The sentence is in the catalogue of messages, by code.
 *
 * @param line the line at fault, counted from 1
 * @param code stable dotted name that programs match
 * @param params the values of the sentence
 */
public record BlockProblem(int line, String code, Map<String, String> params) {

    public BlockProblem {
        params = Collections.unmodifiableMap(new TreeMap<>(params));
    }

    BlockProblem(int line, String code) {
        this(line, code, Map.of());
    }

    /** One of several sentences of the code. */
    BlockProblem variant(String name) {
        return with("variant", name);
    }

    BlockProblem with(String name, Object value) {
        var more = new TreeMap<>(params);
        more.put(name, String.valueOf(value));
        return new BlockProblem(line, code, more);
    }
}
