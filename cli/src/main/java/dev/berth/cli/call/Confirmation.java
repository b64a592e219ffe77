package dev.berth.cli.call;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Asks a person at a terminal. */
public final class Confirmation {

    private Confirmation() {}

    /** True if the answer is yes. */
    public static boolean ask(String question, CallContext context) throws IOException {
        context.out().print(question + " [y/N] ");
        context.out().flush();
        String answer =
                new BufferedReader(new InputStreamReader(context.in(), StandardCharsets.UTF_8))
                        .readLine();
        return answer != null
                && List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
    }
}
