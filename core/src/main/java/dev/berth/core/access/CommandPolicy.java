package dev.berth.core.access;

import dev.berth.core.Rejected;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which commands may be submitted. A pattern matches if it is found anywhere in the command. This
 * is a guard against mistakes, not a sandbox: an allowed command may call any other.
 *
 * @param allow if there are any, one of them must match
 * @param deny none of them may match
 * @param message what the refusal says besides
 */
public record CommandPolicy(List<Pattern> allow, List<Pattern> deny, Optional<String> message) {

    public static final CommandPolicy OPEN =
            new CommandPolicy(List.of(), List.of(), Optional.empty());

    private static final String ALLOW = "command_policy.allow";
    private static final String DENY = "command_policy.deny";

    /** A pattern may take very long on some commands; a longer search counts as a refusal. */
    private static final int MAX_STEPS = 10_000_000;

    private static final int MAX_SHOWN = 300;

    public CommandPolicy {
        allow = List.copyOf(allow);
        deny = List.copyOf(deny);
    }

    /**
     * @throws java.util.regex.PatternSyntaxException a text is not a regular expression
     */
    public static CommandPolicy of(
            List<String> allow, List<String> deny, Optional<String> message) {
        return new CommandPolicy(
                allow.stream().map(Pattern::compile).toList(),
                deny.stream().map(Pattern::compile).toList(),
                message);
    }

    /** Why the command may not be submitted, if so. */
    public Optional<Rejected> refusal(String command) {
        for (var pattern : deny) {
            switch (search(pattern, command)) {
                case FOUND -> {
                    return Optional.of(refused("denied", DENY, pattern.pattern()));
                }
                case TOO_LONG -> {
                    return Optional.of(refused("slow", DENY, pattern.pattern()));
                }
                case NOT_FOUND -> {}
            }
        }
        return allow.isEmpty() ? Optional.empty() : notAllowed(command);
    }

    private Optional<Rejected> notAllowed(String command) {
        for (var pattern : allow) {
            switch (search(pattern, command)) {
                case FOUND -> {
                    return Optional.empty();
                }
                case TOO_LONG -> {
                    return Optional.of(refused("slow", ALLOW, pattern.pattern()));
                }
                case NOT_FOUND -> {}
            }
        }
        var all = allow.stream().map(Pattern::pattern).collect(Collectors.joining(", "));
        return Optional.of(refused("not_allowed", ALLOW, all));
    }

    private Rejected refused(String variant, String setting, String rule) {
        var shown = rule.length() <= MAX_SHOWN ? rule : rule.substring(0, MAX_SHOWN) + "…";
        var why =
                new Rejected(Rejected.Kind.FORBIDDEN, "command.forbidden", "command", Map.of())
                        .variant(variant)
                        .with("setting", setting)
                        .with("rule", shown);
        return message.isPresent() ? why.with("message", message.get()) : why;
    }

    private enum Search {
        FOUND,
        NOT_FOUND,
        TOO_LONG
    }

    private static Search search(Pattern pattern, String command) {
        try {
            var text = new CountedText(command, new int[] {MAX_STEPS});
            return pattern.matcher(text).find() ? Search.FOUND : Search.NOT_FOUND;
        } catch (SearchTooLong | StackOverflowError _) {
            // The JDK matches some groups by recursion, one level for each character.
            return Search.TOO_LONG;
        }
    }

    /** Ends a search that reads too many characters. */
    private record CountedText(CharSequence text, int[] left) implements CharSequence {

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (left[0]-- <= 0) {
                throw new SearchTooLong();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new CountedText(text.subSequence(start, end), left);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }

    private static final class SearchTooLong extends RuntimeException {
        private static final long serialVersionUID = 1;

        SearchTooLong() {
            super("the search takes too long", null, false, false);
        }
    }
}
