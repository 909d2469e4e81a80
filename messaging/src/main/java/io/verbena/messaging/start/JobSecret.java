package io.verbena.messaging.start;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secret that only the ranks of one job know. It is never sent: a rank sends a proof that it knows the secret. */
public final class JobSecret {

    /** Environment variable: the secret. It does not belong on a command line, which others can read. */
    public static final String TEXT = "VERBENA_SECRET";

    /** Environment variable: a file that contains the secret. */
    public static final String FILE = "VERBENA_SECRET_FILE";

    private static final int MIN_CHARACTERS = 16;
    private static final int MAX_CHARACTERS = 4096;
    private static final int RANDOM_BYTES = 16;
    private static final String ALGORITHM = "HmacSHA256";

    private final String text;

    private JobSecret(String text) {
        this.text = text;
    }

    /** Creates a random secret. */
    public static JobSecret random() {
        return new JobSecret(nonce() + nonce());
    }

    /** A random value that has not been used before, as hexadecimal digits. */
    static String nonce() {
        byte[] bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** The secret that the environment names. */
    public static JobSecret of(Map<String, String> environment) throws JobStartException {
        String text = environment.getOrDefault(TEXT, "").strip();
        String file = environment.getOrDefault(FILE, "");
        if (text.isEmpty() && !file.isEmpty()) {
            text = read(Path.of(file));
        }
        if (text.isEmpty()) {
            throw new JobStartException("The ranks of a job identify each other by a secret, and none is set. Set "
                    + TEXT
                    + " to at least "
                    + MIN_CHARACTERS + " random characters in the environment of all ranks, or " + FILE
                    + " to a file that contains them: export " + TEXT + "=$(openssl rand -hex 16); mpirun -x " + TEXT
                    + " … (its value does not belong on a command line, which others can read).");
        }
        if (text.length() < MIN_CHARACTERS) {
            throw new JobStartException("The secret in " + (file.isEmpty() ? TEXT : file) + " has " + text.length()
                    + " characters; it needs at least " + MIN_CHARACTERS + ".");
        }
        return new JobSecret(text);
    }

    private static String read(Path file) throws JobStartException {
        try {
            if (Files.size(file) > MAX_CHARACTERS) {
                throw new JobStartException("The file " + file + " of " + FILE + " is too long for a secret.");
            }
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
                if (permissions.contains(PosixFilePermission.GROUP_READ)
                        || permissions.contains(PosixFilePermission.OTHERS_READ)) {
                    throw new JobStartException("Others can read the secret in " + file + ": chmod 600 " + file + ".");
                }
            }
            String text = Files.readString(file).strip();
            if (text.isEmpty()) {
                throw new JobStartException("The file " + file + " of " + FILE + " is empty.");
            }
            return text;
        } catch (JobStartException e) {
            throw e;
        } catch (IOException e) {
            throw new JobStartException(
                    "The file " + file + " of " + FILE + " cannot be read: " + e.getMessage() + ".");
        }
    }

    /** The secret, for the environment of a rank. */
    public String text() {
        return text;
    }

    /** Computes the proof that its sender knows the secret and the nonce, for these words. */
    public String proof(String nonce, String words) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return HexFormat.of().formatHex(mac.doFinal((nonce + " " + words).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    /** Checks a proof in constant time. */
    public boolean proves(String proof, String nonce, String words) {
        return MessageDigest.isEqual(
                proof.getBytes(StandardCharsets.UTF_8), proof(nonce, words).getBytes(StandardCharsets.UTF_8));
    }
}
