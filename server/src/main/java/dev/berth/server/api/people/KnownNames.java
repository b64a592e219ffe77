package dev.berth.server.api.people;

import dev.berth.core.Rejected;
import dev.berth.http.RejectedException;
import dev.berth.port.read.Accounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Refuses rules and reservations for users and groups that the machine does not have: a misspelled
 * name would have no effect, and nobody would notice. While the name services do not answer, every
 * name is accepted. In a home of one user there is nothing to compare names with.
 */
public final class KnownNames {

    private static final Logger log = LoggerFactory.getLogger(KnownNames.class);

    /** Keys of rules that contain the name of a user or a group, which may contain dots. */
    private static final Pattern KEY =
            Pattern.compile("(?:limits\\.)?(users|groups)\\.(.+)\\.[a-z_]+");

    private final Optional<Accounts> accounts;

    public KnownNames(Optional<Accounts> accounts) {
        this.accounts = accounts;
    }

    public void requireUser(String name, String field) throws RejectedException {
        if (!isKnown(name, true)) {
            throw new RejectedException(Rejected.invalid("user.unknown", field).with("user", name));
        }
    }

    public void requireGroup(String name, String field) throws RejectedException {
        if (!isKnown(name, false)) {
            throw new RejectedException(
                    Rejected.invalid("group.unknown", field).with("group", name));
        }
    }

    /**
     * @param keys of rules that get a value
     */
    public void requireIn(Collection<String> keys) throws RejectedException {
        for (var key : keys) {
            var match = KEY.matcher(key);
            if (match.matches() && match.group(1).equals("users")) {
                requireUser(match.group(2), key);
            } else if (match.matches()) {
                requireGroup(match.group(2), key);
            }
        }
    }

    private boolean isKnown(String name, boolean isUser) {
        if (accounts.isEmpty()) {
            return true;
        }
        try {
            return isUser ? accounts.get().named(name).isPresent() : accounts.get().hasGroup(name);
        } catch (IOException unanswered) {
            log.warn("the name {} is accepted without a check: {}", name, unanswered.getMessage());
            return true;
        }
    }
}
