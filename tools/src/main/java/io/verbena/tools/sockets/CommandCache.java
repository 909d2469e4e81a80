package io.verbena.tools.sockets;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The ahead-of-time cache of a command. The JVM uses it only with the agent that it was made with, so both are in one folder. */
final class CommandCache {

    private static final int NAME_BYTES = 8;

    private CommandCache() {}

    /** The file of this command with this agent, which exists if the command was run for training. */
    static Path of(List<String> command, Path agent) {
        byte[] words = (agent.getFileName() + "\0" + System.getProperty("user.dir") + "\0" + String.join("\0", command))
                .getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(words);
            return agent.resolveSibling("cache-" + HexFormat.of().formatHex(digest, 0, NAME_BYTES) + ".aot");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
