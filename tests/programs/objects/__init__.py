"""Programs with classes: attributes that change, methods, properties and operators of one's own."""
