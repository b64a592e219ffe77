package dev.berth.app.endtoend;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.util.ArrayList;
import java.util.List;

/**
 * Injects a test home and closes it after the test. A home injected into a constructor is shared by
 * the tests of that class. If a test fails, the output of the servers is added to the failure.
 */
final class ServerHarnessExtension implements ParameterResolver, TestExecutionExceptionHandler {

    private static final Namespace NAMESPACE = Namespace.create(ServerHarnessExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ServerHarness.class;
    }

    @Override
    public ServerHarness resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var harness = new ServerHarness();
        // JUnit closes the content of its store after the test, or after the class.
        context.getStore(NAMESPACE).put(harness, harness);
        all(context).add(harness);
        return harness;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        // In a class with a shared home, the list also contains those of earlier tests.
        all(context).stream()
                .filter(ServerHarness::isOpen)
                .forEach(harness -> failure.addSuppressed(new Report(harness.report())));
        throw failure;
    }

    @SuppressWarnings("unchecked")
    private static List<ServerHarness> all(ExtensionContext context) {
        return (List<ServerHarness>)
                context.getStore(NAMESPACE)
                        .computeIfAbsent("all", _ -> new ArrayList<ServerHarness>());
    }

    /** Adds a text to a failure, without a stack trace of its own. */
    private static final class Report extends Exception {
        private static final long serialVersionUID = 1;

        Report(String text) {
            super(text, null, false, false);
        }
    }
}
