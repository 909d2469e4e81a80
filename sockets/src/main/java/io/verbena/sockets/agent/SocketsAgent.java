package io.verbena.sockets.agent;

import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/**
 * The entry of the agent. It runs before the main class of the program, so that the provider is installed before there is a
 * channel. Wrong options end the JVM; other problems do so unless the options contain {@code required=false}.
 */
public final class SocketsAgent {

    private static final int REFUSED = 1;

    private SocketsAgent() {}

    /** Called by the JVM. */
    public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
        AgentOptions options;
        try {
            options = AgentOptions.parse(arguments == null ? "" : arguments);
        } catch (IllegalArgumentException e) {
            refuse(e.getMessage());
            return;
        }
        try {
            new Installation(instrumentation, options.properties(), SocketsAgent::say).install();
        } catch (Installation.Failure e) {
            if (options.required()) {
                refuse(e.getMessage() + " The option required=false runs the program without RDMA.");
            } else {
                say(e.getMessage() + " The program runs without RDMA.");
            }
        }
    }

    private static void refuse(@Nullable String sentence) {
        say(sentence + "");
        System.exit(REFUSED);
    }

    private static void say(String sentence) {
        System.err.println("verbena-sockets: " + sentence);
    }
}
