package dev.berth.app.system;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.text.SafeText;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Decides to whom the tasks of a home belong after an import. */
final class NewOwners {

    private NewOwners() {}

    /**
     * @param asked the name that was given; must be that of the home's user, unless the home
     *     belongs to root
     */
    static ImportedTasks.NewOwner of(PersonalHome home, Optional<String> asked) throws IOException {
        var user = asked.isPresent() ? asked.get() : nameOf(home);
        int uid = uidOf(user);
        if (uid == 0) {
            throw new CommandFailure(
                    "tasks do not run as root: name the user to whom these tasks belong (--user"
                            + " NAME)");
        }
        if (home.uid() != 0 && uid != home.uid()) {
            throw new CommandFailure(
                    home.path()
                            + " belongs to "
                            + nameOf(home)
                            + ": its tasks can only become tasks of that user");
        }
        return new ImportedTasks.NewOwner(user, uid);
    }

    private static String nameOf(PersonalHome home) throws IOException {
        return id("-un", Integer.toString(home.uid()));
    }

    /** A number that is no name is no user here. */
    private static int uidOf(String user) throws IOException {
        var uid = id("-u", user);
        if (!id("-un", uid).equals(user)) {
            throw new CommandFailure("there is no account " + SafeText.line(user));
        }
        return Integer.parseInt(uid);
    }

    private static String id(String what, String user) throws IOException {
        try {
            return Programs.run(List.of("id", what, "--", user));
        } catch (IOException unknown) {
            throw new CommandFailure("there is no account " + SafeText.line(user));
        }
    }
}
