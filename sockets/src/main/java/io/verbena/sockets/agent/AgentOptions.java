package io.verbena.sockets.agent;

import io.verbena.live.LiveRnics;
import io.verbena.sockets.nio.SocketsOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of the agent: {@code NAME=VALUE}, separated by commas. A part without {@code =} continues the value before it, because
 * the list of peers has commas, too: {@code rdma=kafka-*:9092,10.0.0.0/8,provider=iwarp} states two options.
 *
 * @param properties system properties to set
 * @param required whether the program is refused if the agent cannot do its work; else it runs without RDMA
 */
record AgentOptions(Map<String, String> properties, boolean required) {

    AgentOptions {
        properties = Map.copyOf(properties);
    }

    /**
     * Reads the options.
     *
     * @throws IllegalArgumentException if one is not known or has a wrong value
     */
    static AgentOptions parse(String text) {
        Map<String, String> properties = new LinkedHashMap<>();
        boolean required = true;
        for (Map.Entry<String, String> each : values(text).entrySet()) {
            SocketsOption option = SocketsOption.of(each.getKey()).orElseThrow(() -> unknown(each.getKey()));
            String value = each.getValue();
            boolean on = option.isFlag() && flag(option, value);
            if (option == SocketsOption.REQUIRED) {
                required = on;
            } else {
                properties.put(option.property(), value);
            }
            if (option == SocketsOption.FIGURES) {
                properties.put(LiveRnics.PROPERTY, value); // who hides the sockets does not show their RNIC
            }
        }
        return new AgentOptions(properties, required);
    }

    private static Map<String, String> values(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        String name = "";
        for (String part : text.split(",")) {
            int equals = part.indexOf('=');
            String value = part.substring(equals + 1).strip();
            if (equals >= 0) {
                name = part.substring(0, equals).strip();
                if (values.put(name, value) != null) {
                    throw new IllegalArgumentException("The option \"" + name + "\" is stated twice.");
                }
            } else if (!name.isEmpty()) {
                values.merge(name, value, (before, more) -> before + "," + more);
            } else if (!value.isEmpty()) {
                throw unknown(value);
            }
        }
        return values;
    }

    private static boolean flag(SocketsOption option, String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new IllegalArgumentException(
                        "The option \"" + option.text() + "\" is true or false, not \"" + value + "\".");
        };
    }

    private static IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException(
                "There is no option \"" + name + "\"; the options are " + SocketsOption.names() + ".");
    }
}
