package io.verbena.sockets.agent;

import io.verbena.sockets.net.CarriedSockets;
import io.verbena.sockets.nio.FileTransfers;
import io.verbena.sockets.nio.LeftOut;
import io.verbena.sockets.nio.SocketsOption;
import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.lang.instrument.Instrumentation;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the provider of this module that of the JVM. The classes of the agent are those of the class path, or of the modules of the
 * program if it has Verbena as modules: the package {@code sun.nio.ch} is exported, and native access enabled, to what the
 * loader of the system found.
 */
final class Installation {

    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";
    private static final String SOCKETS = "java.net.Socket and ServerSocket";
    private static final String NO_NATIVE = "io.netty.transport.noNative";

    /** Modules of the JDK that the library needs, and that a program made of modules need not have. */
    private static final List<String> NEEDED = List.of("jdk.jfr", "jdk.net");

    /** The provider cannot be installed. The message is one sentence. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        Failure(String sentence) {
            super(sentence);
        }

        Failure(String sentence, Throwable cause) {
            super(sentence, cause);
        }
    }

    private final Instrumentation instrumentation;
    private final Map<String, String> properties;
    private final Consumer<String> say;
    private final Module own = Installation.class.getModule();

    Installation(Instrumentation instrumentation, Map<String, String> properties, Consumer<String> say) {
        this.instrumentation = instrumentation;
        this.say = say;
        this.properties = properties;
    }

    void install() throws Failure {
        checkModules();
        checkProvider();
        properties.forEach(System::setProperty);
        try {
            SocketsOptions.fromProperties();
        } catch (IllegalArgumentException e) {
            throw new Failure(String.valueOf(e.getMessage()), e);
        }
        export("sun.nio.ch");
        enableNativeAccess();
        // Netty's native transports open their sockets without the provider.
        System.getProperties().putIfAbsent(NO_NATIVE, "true");
        instrumentation.addTransformer(new ClassWatch(say));
        FileTransfers.atFirst(() -> FileCarriage.install(instrumentation));
        System.setProperty(PROVIDER, VerbenaSelectorProvider.class.getName());
        if (!(SelectorProvider.provider() instanceof VerbenaSelectorProvider)) {
            throw new Failure("The JVM has the provider of channels "
                    + SelectorProvider.provider().getClass().getName()
                    + " already: state this agent before others, which open channels.");
        }
        if (!"false".equals(System.getProperty(SocketsOption.SOCKETS.property()))) {
            carrySockets();
        } else {
            LeftOut.add(SOCKETS, "the option sockets is false");
        }
    }

    /** Channels of a program are carried even where its sockets cannot be. */
    private void carrySockets() {
        export("sun.net");
        Set<Module> to = Set.of(own);
        instrumentation.redefineModule(
                Object.class.getModule(), Set.of(), Map.of(), Map.of("java.nio.channels.spi", to), Set.of(), Map.of());
        instrumentation.redefineModule(
                own,
                Set.of(),
                Map.of(CarriedSockets.class.getPackageName(), Set.of(Object.class.getModule())),
                Map.of(),
                Set.of(),
                Map.of());
        try {
            SocketCarriage.install(instrumentation);
        } catch (Failure e) {
            LeftOut.add(SOCKETS, String.valueOf(e.getMessage()));
            say.accept("TCP carries java.net.Socket and ServerSocket: " + e.getMessage());
        }
    }

    private static void checkModules() throws Failure {
        String missing = NEEDED.stream()
                .filter(name -> ModuleLayer.boot().findModule(name).isEmpty())
                .collect(Collectors.joining(","));
        if (!missing.isEmpty()) {
            throw new Failure("The program runs without modules that are needed: add --add-modules=" + missing + ".");
        }
    }

    private static void checkProvider() throws Failure {
        String other = System.getProperty(PROVIDER, "");
        if (!other.isEmpty() && !other.equals(VerbenaSelectorProvider.class.getName())) {
            throw new Failure("The property " + PROVIDER + " names another provider, " + other + ": remove it.");
        }
    }

    private void export(String packageName) {
        instrumentation.redefineModule(
                Object.class.getModule(), Set.of(), Map.of(packageName, Set.of(own)), Map.of(), Set.of(), Map.of());
    }

    /**
     * Does what {@code --enable-native-access} does. The manifest of an agent cannot ask for it, and no public method enables it for a
     * module of the boot layer. Where this fails, the JVM itself prints a warning when native code is first used.
     */
    private void enableNativeAccess() {
        export("jdk.internal.access");
        try {
            Class<?> access = Class.forName("jdk.internal.access.JavaLangAccess");
            Object lang = Class.forName("jdk.internal.access.SharedSecrets")
                    .getMethod("getJavaLangAccess")
                    .invoke(null);
            for (Module module : modules()) {
                if (module.isNamed()) {
                    access.getMethod("addEnableNativeAccess", Module.class).invoke(lang, module);
                } else {
                    access.getMethod("addEnableNativeAccessToAllUnnamed").invoke(lang);
                }
            }
        } catch (ReflectiveOperationException e) {
            System.err.println("verbena-sockets: Native access cannot be enabled on this JDK (" + e
                    + "): add --enable-native-access=ALL-UNNAMED if the JVM requires it.");
        }
    }

    /** This module and that of the verbs: both are unnamed on the class path. */
    private Set<Module> modules() {
        return Stream.of(Optional.of(own), ModuleLayer.boot().findModule("io.verbena"))
                .flatMap(Optional::stream)
                .collect(Collectors.toCollection(HashSet::new));
    }
}
