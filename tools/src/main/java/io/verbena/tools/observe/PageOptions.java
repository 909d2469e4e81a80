package io.verbena.tools.observe;

import io.verbena.web.WebOptions;
import java.util.Map;

/** The options of the pages of commands. */
public final class PageOptions {

    /** Names the secret of the address, so that a page finds the next process that uses its port. */
    public static final String TOKEN = "VERBENA_WEB_TOKEN";

    private PageOptions() {}

    /**
     * A page at a port of the loopback address, with the secret of the environment or a random one.
     *
     * @throws IllegalArgumentException if the secret of the environment is too short, or has other characters
     */
    public static WebOptions loopback(int port) {
        return loopback(port, System.getenv());
    }

    static WebOptions loopback(int port, Map<String, String> environment) {
        String token = environment.get(TOKEN);
        WebOptions options = WebOptions.loopback(port);
        try {
            return token == null ? options : options.withToken(token);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(TOKEN + " is not usable: " + e.getMessage(), e);
        }
    }
}
