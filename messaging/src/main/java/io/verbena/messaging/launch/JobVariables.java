package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;
import java.util.Map;

/** Environment variables of a rank. A variable that is empty is not set. */
public final class JobVariables {

    /** Rank of the process, set by {@code verbena run}. */
    public static final String RANK = "VERBENA_RANK";

    /** Number of ranks, set by {@code verbena run} and by manifests. */
    public static final String SIZE = "VERBENA_SIZE";

    /** Where the ranks meet, HOST:PORT. Rank 0 listens there, unless {@code verbena run} does. */
    public static final String ADDRESS = "VERBENA_BOOTSTRAP";

    /** Port where rank 0 listens, instead of the one that is derived from the job. */
    public static final String PORT = "VERBENA_PORT";

    /** Headless service of an Indexed Job. */
    public static final String SERVICE = "VERBENA_SERVICE";

    /** Index of this job in its JobSet. */
    public static final String JOB_INDEX = "VERBENA_JOB_INDEX";

    /** Pods of each job of a JobSet. */
    public static final String JOB_PODS = "VERBENA_JOB_PODS";

    /** Host of the pod of a JobSet that has rank 0. */
    public static final String COORDINATOR = "VERBENA_COORDINATOR";

    /** Maximum number of seconds until all ranks have met. */
    public static final String START_SECONDS = "VERBENA_START_SECONDS";

    private static final int MAX_SHOWN = 80;

    private final Map<String, String> environment;

    JobVariables(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    boolean has(String name) {
        return !environment.getOrDefault(name, "").isBlank();
    }

    boolean hasAll(Iterable<String> names) {
        for (String name : names) {
            if (!has(name)) {
                return false;
            }
        }
        return true;
    }

    String text(String name) throws JobStartException {
        if (!has(name)) {
            throw new JobStartException(name + " is not set.");
        }
        return environment.getOrDefault(name, "").strip();
    }

    String textOr(String name, String otherwise) {
        return has(name) ? environment.getOrDefault(name, "").strip() : otherwise;
    }

    int number(String name) throws JobStartException {
        return number(name, text(name));
    }

    int numberOr(String name, int otherwise) throws JobStartException {
        return has(name) ? number(name) : otherwise;
    }

    int port(String name) throws JobStartException {
        int port = number(name);
        if (port < 1 || port > 65_535) {
            throw new JobStartException(name + " must be a port, 1 to 65535, not " + port + ".");
        }
        return port;
    }

    static int number(String name, String value) throws JobStartException {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new JobStartException(name + " must be a number, not '" + printable(value) + "'.");
        }
    }

    /** Text of others, for a sentence: of limited length, without control characters. */
    static String printable(String text) {
        String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
        return shown.replaceAll("[^\\x20-\\x7e]", "?");
    }

    Map<String, String> all() {
        return environment;
    }
}
