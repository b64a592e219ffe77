package dev.berth.config;

import dev.berth.core.access.Role;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Keys that say who may do what on a server for the whole machine, and how users log in. */
final class AccessKeys {

    static final ConfigKey<List<String>> ADMINS =
            ConfigKey.withDefault(
                    "admins",
                    ValueType.texts(),
                    List.of(),
                    "the names of users who may see and change everything; root always may");
    static final ConfigKey<String> ADMIN_GROUP =
            ConfigKey.withoutDefault(
                    "admin_group", ValueType.text(), "the members of this Unix group are admins");
    static final ConfigKey<List<String>> VIEWERS =
            ConfigKey.withDefault(
                    "viewers",
                    ValueType.texts(),
                    List.of(),
                    "the names of users who see tasks and GPUs, but change nothing");
    static final ConfigKey<String> VIEWER_GROUP =
            ConfigKey.withoutDefault(
                    "viewer_group", ValueType.text(), "the members of this Unix group are viewers");
    static final ConfigKey<String> USER_GROUP =
            ConfigKey.withoutDefault(
                    "user_group",
                    ValueType.text(),
                    "the members of this Unix group are users, whatever default_role is");
    static final ConfigKey<String> DEFAULT_ROLE =
            ConfigKey.withDefault(
                    "default_role",
                    ValueType.word("user", "viewer", "none"),
                    "user",
                    "the role of all other accounts of the machine; none does not serve them");
    static final ConfigKey<String> OTHERS_SEE =
            ConfigKey.withDefault(
                    "others_see",
                    ValueType.word("basic", "logs"),
                    "basic",
                    "what users see of each other's tasks: basic is name, state, GPUs, memory and"
                            + " times; logs is also command, log, diagnosis and progress");
    static final ConfigKey<String> PAM_SERVICE =
            ConfigKey.withoutDefault(
                    "pam_service",
                    ValueType.text(),
                    "the PAM service that checks passwords at a login; without it nobody logs in by"
                            + " password");
    static final ConfigKey<String> PROXY_USER_HEADER =
            ConfigKey.withoutDefault(
                    "proxy_user_header",
                    ValueType.text(),
                    "the header in which a proxy names the user whom it has authenticated; needs"
                            + " proxy_user");
    static final ConfigKey<String> PROXY_USER =
            ConfigKey.withoutDefault(
                    "proxy_user",
                    ValueType.text(),
                    "the account that the proxy runs as, by name or uid: only its connections may"
                            + " name users");

    static final List<ConfigKey<?>> ALL =
            List.of(
                    ADMINS,
                    ADMIN_GROUP,
                    VIEWERS,
                    VIEWER_GROUP,
                    USER_GROUP,
                    DEFAULT_ROLE,
                    OTHERS_SEE,
                    PAM_SERVICE,
                    PROXY_USER_HEADER,
                    PROXY_USER);

    private AccessKeys() {}

    static Configuration.AccessRules read(ConfigValues values) throws InvalidConfigException {
        return new Configuration.AccessRules(
                new TreeSet<>(values.get(ADMINS)),
                values.find(ADMIN_GROUP),
                new TreeSet<>(values.get(VIEWERS)),
                values.find(VIEWER_GROUP),
                values.find(USER_GROUP),
                role(values.get(DEFAULT_ROLE)),
                values.get(OTHERS_SEE).equals("logs"),
                service(values),
                proxy(values));
    }

    private static Optional<Role> role(String word) {
        return word.equals("none")
                ? Optional.empty()
                : Optional.of(Role.valueOf(word.toUpperCase(Locale.ROOT)));
    }

    /** The name becomes the name of a file in /etc/pam.d. */
    private static Optional<String> service(ConfigValues values) throws InvalidConfigException {
        var service = values.find(PAM_SERVICE);
        if (service.isPresent() && !service.get().matches("[a-z0-9][a-z0-9_.-]{0,63}")) {
            throw new InvalidConfigException(
                    "%s: pam_service is the name of a file in /etc/pam.d, such as berth, not \"%s\""
                            .formatted(values.source(PAM_SERVICE), service.get()));
        }
        return service;
    }

    private static Optional<Configuration.ProxyUser> proxy(ConfigValues values)
            throws InvalidConfigException {
        var header = values.find(PROXY_USER_HEADER);
        var user = values.find(PROXY_USER);
        if (header.isPresent() != user.isPresent()) {
            var set = header.isPresent() ? PROXY_USER_HEADER : PROXY_USER;
            var missing = header.isPresent() ? PROXY_USER : PROXY_USER_HEADER;
            throw new InvalidConfigException(
                    "%s: %s needs %s beside it"
                            .formatted(values.source(set), set.name(), missing.name()));
        }
        if (header.isPresent() && !header.get().matches("[A-Za-z][A-Za-z0-9-]{0,63}")) {
            throw new InvalidConfigException(
                    "%s: proxy_user_header is the name of a header, such as X-Remote-User, not"
                                    .formatted(values.source(PROXY_USER_HEADER))
                            + " \""
                            + header.get()
                            + "\"");
        }
        return header.map(name -> new Configuration.ProxyUser(name, user.orElseThrow()));
    }
}
