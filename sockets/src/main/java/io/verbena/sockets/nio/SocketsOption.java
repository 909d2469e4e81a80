package io.verbena.sockets.nio;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The options of sockets, for all places where a user states them: the agent, the commands {@code sockets run} and {@code sockets proxy}, and
 * system properties, whose names begin with {@link SocketsOptions#PREFIX}.
 */
public enum SocketsOption {
    RDMA(Scope.PROGRAM),
    PROVIDER(Scope.ALL),
    DEVICE(Scope.ALL),
    ACCEPT(Scope.ALL),
    BUFFER(Scope.ALL),
    PATIENCE(Scope.ALL),
    SETUP(Scope.ALL),
    TIMEOUT(Scope.ALL),
    EXIT(Scope.ALL),
    /** Whether channels between programs of this host are rings in shared memory. */
    RING(Scope.PROGRAM),
    /** Whether streams over iWARP survive the end of their TCP connection. */
    SURVIVE(Scope.PROGRAM),
    /** Whether {@code java.net.Socket} and {@code ServerSocket} are carried, too. */
    SOCKETS(Scope.PROGRAM),
    FIGURES(Scope.PROGRAM),
    /** Whether the program is refused if the agent cannot do its work. */
    REQUIRED(Scope.PROGRAM);

    /** What an option is for. */
    public enum Scope {
        /** Programs that the agent changes, and proxies. */
        ALL,
        /** Programs that the agent changes: a proxy has a target in place of a list of peers, and figures of its own. */
        PROGRAM
    }

    private final Scope scope;

    SocketsOption(Scope scope) {
        this.scope = scope;
    }

    public Scope scope() {
        return scope;
    }

    /** The name as an option of the agent, and of the command line after {@code --}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The system property. */
    public String property() {
        return SocketsOptions.PREFIX + text();
    }

    /** Whether its values are {@code true} and {@code false}. */
    public boolean isFlag() {
        return this == RING || this == SURVIVE || this == SOCKETS || this == FIGURES || this == REQUIRED;
    }

    /** The names of all options, in the order of the documentation. */
    public static List<String> names() {
        return Arrays.stream(values()).map(SocketsOption::text).toList();
    }

    /** The option with this name. */
    public static Optional<SocketsOption> of(String name) {
        return Arrays.stream(values()).filter(each -> each.text().equals(name)).findFirst();
    }
}
