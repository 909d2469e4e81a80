package io.verbena.sockets.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentOptionsTest {

    private static final String PREFIX = "io.verbena.sockets.";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                     | {}                                             | true",
                "rdma=*                                 | {rdma=*}                                       | true",
                "rdma=kafka-*:9092,10.0.0.0/8           | {rdma=kafka-*:9092,10.0.0.0/8}                 | true",
                "rdma=a,b,provider=iwarp,buffer=65536   | {buffer=65536, provider=iwarp, rdma=a,b}       | true",
                "rdma=*,provider=roce,device=::1        | {device=::1, provider=roce, rdma=*}            | true",
                "required=false,rdma=[fd00::1]:80,b     | {rdma=[fd00::1]:80,b}                          | false",
                "' provider = auto , required = true '  | {provider=auto}                                | true",
                "rdma=                                  | {rdma=}                                        | true",
            })
    void text_isRead_asProperties(String text, String properties, boolean required) {
        AgentOptions options = AgentOptions.parse(text);
        Map<String, String> shortNames = options.properties().entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> entry.getKey().substring(PREFIX.length()),
                        Map.Entry::getValue,
                        (a, b) -> a,
                        TreeMap::new));
        assertEquals(properties, shortNames.toString());
        assertEquals(required, options.required());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*               | There is no option \"*\"; the options are [rdma, provider, device, accept, buffer, patience, setup, timeout, exit, ring, survive, sockets, figures, required].",
                "rdna=*          | There is no option \"rdna\"; the options are [rdma, provider, device, accept, buffer, patience, setup, timeout, exit, ring, survive, sockets, figures, required].",
                "=x              | There is no option \"\"; the options are [rdma, provider, device, accept, buffer, patience, setup, timeout, exit, ring, survive, sockets, figures, required].",
                "rdma=a,rdma=b   | The option \"rdma\" is stated twice.",
                "figures=no      | The option \"figures\" is true or false, not \"no\".",
                "sockets=        | The option \"sockets\" is true or false, not \"\".",
                "required=maybe  | The option \"required\" is true or false, not \"maybe\".",
            })
    void wrongText_isRefused_withASentence(String text, String sentence) {
        assertEquals(
                sentence,
                assertThrows(IllegalArgumentException.class, () -> AgentOptions.parse(text))
                        .getMessage());
    }
}
