package dev.berth.testkit;

import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Accounts that a test adds and removes. */
public final class FakeAccounts implements Accounts {

    private final ConcurrentSkipListMap<String, Account> accounts = new ConcurrentSkipListMap<>();

    /** How often an account was looked up by its name. */
    public final AtomicInteger lookups = new AtomicInteger();

    private volatile boolean isFailing;

    /** Adds an account whose home is {@code /home/NAME} and whose groups have these names. */
    public FakeAccounts with(String name, int uid, String... groups) {
        accounts.put(
                name,
                new Account(
                        name,
                        uid,
                        uid,
                        Path.of("/home", name),
                        Path.of("/bin/bash"),
                        List.of(uid),
                        List.of(groups)));
        return this;
    }

    public void remove(String name) {
        accounts.remove(name);
    }

    /** From now on no call gets an answer. */
    public void fail() {
        isFailing = true;
    }

    @Override
    public Optional<Account> named(String user) throws IOException {
        lookups.incrementAndGet();
        requireAnswer();
        return Optional.ofNullable(accounts.get(user));
    }

    @Override
    public Optional<Account> withUid(int uid) throws IOException {
        requireAnswer();
        return accounts.values().stream().filter(one -> one.uid() == uid).findFirst();
    }

    @Override
    public boolean hasGroup(String name) throws IOException {
        requireAnswer();
        return accounts.values().stream().anyMatch(one -> one.groups().contains(name));
    }

    private void requireAnswer() throws IOException {
        if (isFailing) {
            throw new IOException("the name service does not answer");
        }
    }
}
