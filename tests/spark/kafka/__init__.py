"""The pipeline over a real Kafka broker. `make kafka` fetches the jars that these tests need."""
