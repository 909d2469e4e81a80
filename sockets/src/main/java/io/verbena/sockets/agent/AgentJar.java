package io.verbena.sockets.agent;

import io.verbena.live.RunFolder;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A jar with which the classes of this process are the agent of another one: its manifest refers to them, and it contains nothing else.
 * It remains in the folder of the user, because processes that start later need it, too.
 */
public final class AgentJar {

    /** Changes when the manifest has other attributes, so that no jar of an earlier release is used. */
    private static final String FORM = "2 ";

    private AgentJar() {}

    /**
     * The jar, made if there is none.
     *
     * @param note receives what the user may want to know about its folder
     * @throws IOException if it cannot be written, or the classes are not in files
     */
    public static Path make(Consumer<String> note) throws IOException {
        return make(RunFolder.make(note));
    }

    /** The same in another folder. */
    static Path make(Path folder) throws IOException {
        String classPath = classPath();
        Path jar = folder.resolve("agent-" + Integer.toHexString((FORM + classPath).hashCode()) + ".jar");
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", SocketsAgent.class.getName());
        attributes.putValue("Can-Retransform-Classes", "true");
        attributes.put(Attributes.Name.CLASS_PATH, classPath);
        if (Files.exists(jar)) {
            return jar; // an ahead-of-time cache is bound to the time at which the jar was made
        }
        Path part = Files.createTempFile(folder, "agent-", ".part");
        try {
            try (OutputStream file = Files.newOutputStream(part)) {
                new JarOutputStream(file, manifest).close();
            }
            Files.move(part, jar, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
        return jar;
    }

    /**
     * The options of the agent as one text.
     *
     * @throws IllegalArgumentException if an option is not known or has a wrong value
     */
    public static String arguments(Map<String, String> options) {
        String text = options.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
        AgentOptions.parse(text);
        return text;
    }

    private static String classPath() throws IOException {
        String entries = Stream.of(SocketsAgent.class, Rnic.class)
                .map(AgentJar::location)
                .distinct()
                .map(URI::toString)
                .collect(Collectors.joining(" "));
        if (Stream.of(entries.split(" ")).anyMatch(entry -> !entry.startsWith("file:"))) {
            throw new IOException("The classes of the agent are in no file but in " + entries
                    + ": use verbena-sockets-agent.jar with -javaagent.");
        }
        return entries;
    }

    private static URI location(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null
                ? URI.create("unknown:")
                : URI.create(source.getLocation().toString());
    }
}
