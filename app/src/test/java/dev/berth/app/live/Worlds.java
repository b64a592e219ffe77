package dev.berth.app.live;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives a test its worlds and closes them after it. A world asked for by a constructor is shared by
 * the tests of that class. Where a test fails, what the servers said comes with the failure.
 */
final class Worlds implements ParameterResolver, TestExecutionExceptionHandler {

    private static final Namespace NAMESPACE = Namespace.create(Worlds.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == World.class;
    }

    @Override
    public World resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var world = new World();
        // JUnit closes what its store holds when the test, or the class, is over.
        context.getStore(NAMESPACE).put(world, world);
        all(context).add(world);
        return world;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        // A class that shares one has those of its earlier tests in its list too.
        all(context).stream()
                .filter(World::isOpen)
                .forEach(world -> failure.addSuppressed(new Report(world.report())));
        throw failure;
    }

    @SuppressWarnings("unchecked")
    private static List<World> all(ExtensionContext context) {
        return (List<World>)
                context.getStore(NAMESPACE).computeIfAbsent("all", _ -> new ArrayList<World>());
    }

    /** Carries a text to the reader of a failure, and no stack of its own. */
    private static final class Report extends Exception {
        private static final long serialVersionUID = 1;

        Report(String text) {
            super(text, null, false, false);
        }
    }
}
