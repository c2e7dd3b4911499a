"""From the request to the datacenter's door and back."""
